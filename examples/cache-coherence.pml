/* A directory-based cache-coherence protocol (MSI) for one cache line: several caches may hold
 * the line for reading, or one cache for writing. The directory serves one request at a time
 * and invalidates the other copies.
 *
 * The assertions: a writing cache has the only copy, and a reader sees the last value written.
 * With -D LAZY the directory does not invalidate the readers before it grants a write.
 *
 * expect: holds
 * expect -D LAZY: violated (assertion violated)
 */
#define N 2

mtype = { get_shared, get_exclusive, data, invalidate, done };
mtype:state = { invalid, shared, modified };

chan to_directory = [N] of { mtype, byte };
chan to_cache[N] = [2] of { mtype, bit };
chan answers = [0] of { byte, bit };
mtype:state line[N] = invalid;
bit latest;			/* the last value written, for the assertions */

proctype Cache(byte me)
{
	bit value;

end:	do
	:: line[me] == invalid -> to_directory!get_shared(me); goto waiting
	:: line[me] != modified -> to_directory!get_exclusive(me); goto waiting
	:: line[me] != invalid -> assert(value == latest)
	:: atomic { line[me] == modified -> assert(line[1 - me] == invalid); value = 1 - value; latest = value }
	:: to_cache[me]?invalidate(_) -> atomic { line[me] = invalid; answers!me(value); value = 0 }
	od;
waiting:
	do
	:: to_cache[me]?invalidate(_) -> atomic { line[me] = invalid; answers!me(value); value = 0 }
	:: to_cache[me]?data(value) -> atomic { line[me] = shared; goto end }
	:: to_cache[me]?done(value) -> atomic { line[me] = modified; goto end }
	od
}

active proctype Directory()
{
	bit memory, value;
	bool holds[N];
	byte owner = N, who, i;

end:	do
	:: to_directory?get_shared(who) ->
	   if
	   :: owner != N ->
		to_cache[owner]!invalidate(0);
		answers?eval(owner),memory;
		holds[owner] = false;
		owner = N
	   :: else
	   fi;
	   holds[who] = true;
	   to_cache[who]!data(memory)
	:: to_directory?get_exclusive(who) ->
	   for (i : 0 .. N - 1) {
		if
#ifdef LAZY
		:: holds[i] && i == owner ->
#else
		:: holds[i] ->
#endif
			to_cache[i]!invalidate(0);
			answers?eval(i),value;
			holds[i] = false;
			if
			:: i == owner -> memory = value
			:: else
			fi
		:: else
		fi
	   }
	   owner = who;
	   holds[who] = true;
	   to_cache[who]!done(memory)
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Cache(i)
		}
	}
}
