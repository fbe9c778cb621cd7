/* Lamport's bakery for N processes. Tickets end at MAX: a process that would draw a higher one
 * does not come in until the shop is empty.
 *
 * Kind: shared variables.
 * States: 1606141; depth: 190300; vector: 40 bytes.
 */
#ifndef N
#define N 3
#endif
#ifndef MAX
#define MAX 6
#endif

bool choosing[N];
byte ticket[N];
byte inside;

active [N] proctype Customer()
{
	byte other, highest;

	do
	:: choosing[_pid] = true;
	   highest = 0;
	   other = 0;
	   do
	   :: other < N ->
		if
		:: ticket[other] > highest -> highest = ticket[other]
		:: else
		fi;
		other++
	   :: else -> break
	   od;
	   if
	   :: highest < MAX -> ticket[_pid] = highest + 1
	   :: else -> choosing[_pid] = false; goto again
	   fi;
	   choosing[_pid] = false;

	   other = 0;
	   do
	   :: other < N ->
		!choosing[other];
		ticket[other] == 0 || ticket[_pid] < ticket[other] || (ticket[_pid] == ticket[other] && _pid <= other);
		other++
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;
	   ticket[_pid] = 0;
again:	   skip
	od
}
