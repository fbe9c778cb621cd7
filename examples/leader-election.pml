/* Electing a leader in a ring that passes messages one way (Dolev, Klawe and Rodeh 1982; Peterson 1982). In each
 * phase an active node learns the numbers of its two active neighbours on the left and stays active only if its left
 * neighbour's is the greatest of the three; the last one left is the leader.
 *
 * The assertions: there is never a second leader, and the winner's number is the greatest.
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
		:: else ->		/* my own number came round: nobody else is active */
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
	   :: active_node			/* it has gone round */
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
