/* Cache coherence by snooping, the MESI protocol: N caches of LINES lines and a memory on one bus. A cache asks the
 * bus, the bus asks all other caches one after the other, and then answers. Two caches never hold a modified line
 * at once, and every cache reads what was written last.
 *
 * Kind: rendezvous, mtype, typedef.
 * States: 3687312; depth: 1586582; vector: 112 bytes.
 */
#ifndef N
#define N 4
#endif
#ifndef LINES
#define LINES 1
#endif

mtype = { invalid, shared, exclusive, modified };
mtype = { read, write, snoop_read, snoop_write, clean, dirty };

typedef Line {
	mtype state = invalid;
	bit value
}
typedef Cache {
	Line line[LINES]
}
Cache cache[N];
bit memory[LINES], latest[LINES];

chan request = [0] of { mtype, byte, byte };		/* kind, cache, line */
chan grant[N] = [0] of { mtype, bit };			/* new state, value */
bool bus;						/* one transaction at a time */

active [N] proctype Processor()
{
	byte k;
	mtype state;
	bit value;

	do
	:: select (k : 0 .. LINES - 1);
	   if
	   :: atomic { cache[_pid].line[k].state != invalid ->		/* read hit */
		assert(cache[_pid].line[k].value == latest[k]) }
	   :: cache[_pid].line[k].state == invalid ->			/* read miss */
		request!read(_pid, k);
		grant[_pid]?state(value);
		atomic {
			cache[_pid].line[k].state = state;
			cache[_pid].line[k].value = value;
			bus = false
		}
	   :: atomic { cache[_pid].line[k].state == exclusive || cache[_pid].line[k].state == modified ->	/* write hit */
		cache[_pid].line[k].state = modified;
		cache[_pid].line[k].value = 1 - cache[_pid].line[k].value;
		latest[k] = cache[_pid].line[k].value }
	   :: cache[_pid].line[k].state == shared || cache[_pid].line[k].state == invalid ->			/* upgrade */
		request!write(_pid, k);
		grant[_pid]?state(value);
		atomic {
			cache[_pid].line[k].state = modified;
			cache[_pid].line[k].value = 1 - value;
			latest[k] = 1 - value;
			bus = false
		}
	   :: atomic { cache[_pid].line[k].state == modified && !bus ->	/* write back and evict */
		memory[k] = cache[_pid].line[k].value;
		cache[_pid].line[k].state = invalid;
		cache[_pid].line[k].value = 0 }
	   fi;
	   atomic { k = 0; state = 0; value = 0 }
	od
}

active proctype Bus()
{
	mtype kind;
	byte who, k, other;
	bool others;

	do
	:: atomic { !bus -> request?kind(who, k); bus = true };
	   other = 0;
	   others = false;
	   do
	   :: other < N && other != who ->
		atomic {
			if
			:: cache[other].line[k].state == modified ->
				memory[k] = cache[other].line[k].value
			:: else
			fi;
			if
			:: kind == write -> cache[other].line[k].state = invalid; cache[other].line[k].value = 0
			:: kind == read && cache[other].line[k].state != invalid ->
				cache[other].line[k].state = shared;
				others = true
			:: else
			fi;
			other++
		}
	   :: other < N && other == who -> other++
	   :: other == N -> break
	   od;
	   if
	   :: kind == read && others -> grant[who]!shared(memory[k])
	   :: kind == read && !others -> grant[who]!exclusive(memory[k])
	   :: kind == write -> grant[who]!modified(memory[k])
	   fi;
	   atomic { kind = 0; who = 0; k = 0; other = 0; others = false }
	od
}
