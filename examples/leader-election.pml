/* Leader election in a unidirectional ring (Dolev, Klawe and Rodeh 1982; Peterson 1982). In
 * each phase an active node learns the numbers of its two nearest active neighbours on the
 * left, and stays active only if the number of the left neighbour is the greatest of the three.
 * The last active node is the leader.
 *
 * The assertions: there is at most one leader, and it has the greatest number.
 *
 * expect: holds
 */
#define N 4
#define NUMBER(i) ((i) * 3 % N + 1)	/* 1, 4, 3, 2 */

mtype = { one, two, winner };
chan ring[N] = [N] of { mtype, byte };
byte leaders;

proctype Node(byte me; byte mine)
{
	byte left = 0, maximum = mine, other;
	bool active_node = true;

	ring[(me + 1) % N]!one(maximum);
end:	do
	:: ring[me]?one(other) ->
	   if
	   :: active_node ->
		if
		:: other != maximum ->
			left = other;
			ring[(me + 1) % N]!two(other)
		:: else ->		/* own number came back: no other node is active */
			ring[(me + 1) % N]!winner(other)
		fi
	   :: else -> ring[(me + 1) % N]!one(other)
	   fi
	:: ring[me]?two(other) ->
	   if
	   :: active_node ->
		if
		:: left > other && left > maximum ->
			maximum = left;
			ring[(me + 1) % N]!one(maximum)
		:: else -> active_node = false
		fi
	   :: else -> ring[(me + 1) % N]!two(other)
	   fi
	:: ring[me]?winner(other) ->
	   if
	   :: other == mine ->
		leaders++;
		assert(leaders == 1 && mine == N)
	   :: else
	   fi;
	   if
	   :: active_node			/* the message has passed the whole ring */
	   :: else -> ring[(me + 1) % N]!winner(other)
	   fi;
	   break
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Node(i, NUMBER(i))
		}
	}
}
