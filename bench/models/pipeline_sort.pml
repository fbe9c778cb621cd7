/* Sorting by a pipeline: N numbers, chosen at random, go through N cells; each keeps the smallest it has
 * seen and passes the others on. At the end the cells hold them in order.
 *
 * Kind: buffered channels, processes with parameters, created dynamically.
 * States: 1353676; depth: 143; vector: 112 bytes.
 */
#ifndef N
#define N 5
#endif
#ifndef VALUES
#define VALUES 3
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

chan link[N] = [CAPACITY] of { byte };
byte result[N];
byte done;

proctype Cell(byte place)
{
	byte smallest, value, left;

	link[place]?smallest;
	left = N - place - 1;
	do
	:: left > 0 ->
		link[place]?value;
		left--;
		if
		:: value < smallest ->
			link[place + 1]!smallest;
			smallest = value
		:: else -> link[place + 1]!value
		fi
	:: else -> break
	od;
	value = 0;
	result[place] = smallest;
	done++
}

init {
	byte i, value;

	atomic {
		for (i : 0 .. N - 1) {
			run Cell(i)
		}
	}
	i = 0;
	do
	:: i < N ->
		select (value : 1 .. VALUES);
		link[0]!value;
		i++
	:: else -> break
	od;
	done == N;
	for (i : 1 .. N - 1) {
		assert(result[i - 1] <= result[i])
	}
}
