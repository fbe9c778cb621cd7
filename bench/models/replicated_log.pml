/* A replicated log: a leader appends entries and sends them to FOLLOWERS followers over channels that hold whole entries; an
 * entry counts as committed when a majority has it. A follower never applies what is not committed.
 *
 * Kind: wide vector (large buffers), buffered channels with many fields, typedef, mtype.
 * States: 1331822; depth: 650; vector: 228 bytes.
 */
#ifndef FOLLOWERS
#define FOLLOWERS 2
#endif
#ifndef ENTRIES
#define ENTRIES 3
#endif

mtype = { append, acknowledge };

typedef Entry {
	byte key;
	int value
}
typedef Log {
	Entry entry[ENTRIES];
	byte length, committed
}
Log replica[FOLLOWERS + 1];			/* the last one is the leader's */

chan to_follower[FOLLOWERS] = [3] of { mtype, byte, byte, int, byte };	/* kind, place, key, value, committed */
chan to_leader = [FOLLOWERS] of { mtype, byte, byte };			/* kind, follower, length */

#define LEADER replica[FOLLOWERS]

active [FOLLOWERS] proctype Follower()
{
	byte place, key, committed;
	int value;

end:	do
	:: to_follower[_pid]?append(place, key, value, committed) ->
		if
		:: place == replica[_pid].length ->
			d_step {
				replica[_pid].entry[place].key = key;
				replica[_pid].entry[place].value = value;
				replica[_pid].length++
			}
		:: else
		fi;
		replica[_pid].committed = (committed < replica[_pid].length -> committed : replica[_pid].length);
		assert(replica[_pid].committed <= LEADER.committed);
		to_leader!acknowledge(_pid, replica[_pid].length);
		d_step { place = 0; key = 0; value = 0; committed = 0 }
	od
}

active proctype Leader()
{
	byte acknowledged[FOLLOWERS], i, k, count;
	bool told[FOLLOWERS];

end:	do
	:: LEADER.length < ENTRIES ->
		atomic {
			LEADER.entry[LEADER.length].key = LEADER.length + 1;
			LEADER.entry[LEADER.length].value = 1000 * LEADER.entry[LEADER.length].key;
			LEADER.length++;
			for (i : 0 .. FOLLOWERS - 1) {
				told[i] = false
			}
			i = 0
		}
	:: atomic {
		i < FOLLOWERS && !told[i % FOLLOWERS] && acknowledged[i % FOLLOWERS] < LEADER.length && nfull(to_follower[i % FOLLOWERS]) ->
		told[i] = true;
		k = acknowledged[i];
		to_follower[i]!append(k, LEADER.entry[k].key, LEADER.entry[k].value, LEADER.committed);
		k = 0 }
	:: i = (i + 1) % FOLLOWERS
	:: atomic {
		to_leader?acknowledge(k, count) ->
		acknowledged[k] = count;
		told[k] = false;
		k = 0;
		count = 0;
		do
		:: k < FOLLOWERS ->
			if
			:: acknowledged[k] > LEADER.committed -> count++
			:: else
			fi;
			k++
		:: else -> break
		od;
		if
		:: 2 * (count + 1) > FOLLOWERS + 1 && LEADER.committed < LEADER.length -> LEADER.committed++
		:: else
		fi;
		k = 0;
		count = 0 }
	od
}
