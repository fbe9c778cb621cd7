/* Election of a leader in a one-way ring, as Dolev, Klawe and Rodeh and Peterson do it: in each
 * round an active process compares the numbers of its two active neighbours upstream with its own, and becomes a relay
 * unless the nearer one is the largest. The numbers are dealt out at random.
 *
 * Kind: buffered channels, channels in an array, mtype, dynamic creation at the start.
 * States: 1004866; depth: 165; vector: 112 bytes.
 */
#ifndef N
#define N 5
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

mtype = { one, two, winner };
chan ring[N] = [CAPACITY] of { mtype, byte };
byte leaders;
byte elected;

proctype Node(byte place; byte number)
{
	bool active_node = true;
	byte maximum = number;
	byte neighbour, value;

	ring[(place + 1) % N]!one(number);
end:	do
	:: ring[place]?one(value) ->
		if
		:: active_node ->
			if
			:: value != maximum ->
				ring[(place + 1) % N]!two(value);
				neighbour = value
			:: else ->			/* it came round: nobody else is active */
				ring[(place + 1) % N]!winner(value)
			fi
		:: else -> ring[(place + 1) % N]!one(value)
		fi
	:: ring[place]?two(value) ->
		if
		:: active_node ->
			if
			:: neighbour > value && neighbour > maximum ->
				maximum = neighbour;
				ring[(place + 1) % N]!one(neighbour)
			:: else -> active_node = false
			fi
		:: else -> ring[(place + 1) % N]!two(value)
		fi
	:: ring[place]?winner(value) ->
		assert(value == N);
		if
		:: number == value -> leaders++; elected = value; assert(leaders == 1)
		:: else
		fi;
		if
		:: active_node -> break
		:: else -> ring[(place + 1) % N]!winner(value); break
		fi
	od
}

/* True if `number` can be dealt out now. */
#define FREE(number)	(number < N - 1 && !used[(number) % N])

init {
	byte place = 1, number;
	bool used[N];

	atomic {
		run Node(0, N);		/* the ring can be turned so that the largest comes first */
		do
		:: place < N ->
			if
			:: FREE(0) -> number = 0
			:: FREE(1) -> number = 1
			:: FREE(2) -> number = 2
			:: FREE(3) -> number = 3
			:: FREE(4) -> number = 4
			:: FREE(5) -> number = 5
			fi;
			used[number] = true;
			run Node(place, number + 1);
			place++
		:: else -> break
		od
	}
}
