/* Sliding window (go-back-N): the sender may be WINDOW messages ahead of the acknowledgements.
 * Messages and acknowledgements can be lost. Sequence numbers are taken modulo M.
 *
 * M must be larger than WINDOW. With -D M=2 it is not: after a lost acknowledgement the
 * receiver accepts an old message as a new one, and the assertion that data arrive in order
 * fails.
 *
 * expect: holds
 * expect -D M=2: violated (assertion violated)
 */
#ifndef M
#define M 3
#endif
#define WINDOW 2
#define DATA 6		/* contents are numbered modulo DATA */

chan forth = [2] of { byte, byte };	/* sequence number, contents */
chan back  = [2] of { byte };		/* next expected sequence number */

active proctype Sender()
{
	byte base, next, ack, outstanding;
	byte first;			/* contents of the oldest message that is not acknowledged */

	do
	:: next < WINDOW ->		/* next counts from base */
	   forth!(base + next) % M, (first + next) % DATA;
	   next++
	:: back?ack ->
	   outstanding = (ack + M - base) % M;
	   if
	   :: outstanding <= next ->
		base = ack;
		first = (first + outstanding) % DATA;
		next = next - outstanding
	   :: else
	   fi
	:: timeout -> next = 0		/* send the window again */
	od
}

active proctype Receiver()
{
	byte expected, sequence, data, wanted;

	do
	:: forth?sequence,data ->
	   if
	   :: sequence == expected ->
		assert(data == wanted);
		expected = (expected + 1) % M;
		wanted = (wanted + 1) % DATA
	   :: else
	   fi;
	   if
	   :: back!expected
	   :: skip			/* the acknowledgement is lost */
	   fi
	:: forth?_,_			/* the message is lost */
	od
}
