/* Go-back-N in both directions at once: each station sends numbered frames that carry the
 * acknowledgement for the other direction along, and after a timeout sends its whole window again. Frames are lost.
 *
 * Kind: buffered channels, symmetric processes.
 * States: 7680032; depth: 522334; vector: 44 bytes.
 */
#ifndef W
#define W 3
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif
#define MODULUS (W + 1)

chan line[2] = [CAPACITY] of { byte, byte };	/* number, acknowledged up to here */

active [2] proctype Station()
{
	byte oldest, next, expected, number, acknowledged;

	do
	:: (next + MODULUS - oldest) % MODULUS < W ->
		line[1 - _pid]!next(expected);
		next = (next + 1) % MODULUS
	:: next != oldest -> next = oldest		/* as if a timer ran out: all over again */
	:: line[_pid]?number(acknowledged) ->
		if
		:: number == expected -> expected = (expected + 1) % MODULUS
		:: else
		fi;
		/* Everything before `acknowledged` has arrived. */
		do
		:: oldest != acknowledged ->
			if
			:: next == oldest -> next = (next + 1) % MODULUS
			:: else
			fi;
			oldest = (oldest + 1) % MODULUS
		:: else -> break
		od;
		number = 0
	od
}

active proctype Loss()
{
	do
	:: line[0]?_(_)
	:: line[1]?_(_)
	od
}
