/* Lamport's bakery (1974): take a number one higher than all others, wait until nobody has a lower one. Numbers grow without bound
 * as long as the bakery is never empty; here a customer who would need a number above MAX looks again later.
 *
 * Reading the others' numbers is not atomic: that is the point of `choosing`. Without it (-D HASTY) two customers
 * with the same number can both think that they are first.
 *
 * expect: holds
 * expect -D HASTY: violated (assertion violated)
 */
#define N 2
#define MAX 5

bool choosing[N];
byte number[N];
byte inside;

active [N] proctype Customer()
{
	byte other, highest;

again:	do
	:: choosing[_pid] = true;
	   highest = 0;
	   for (other : 0 .. N - 1) {
		if
		:: number[other] > highest -> highest = number[other]
		:: else
		fi
	   }
	   if
	   :: highest < MAX -> number[_pid] = highest + 1; choosing[_pid] = false
	   :: else -> choosing[_pid] = false; goto again
	   fi;

	   for (other : 0 .. N - 1) {
#ifndef HASTY
		!choosing[other];
#endif
		number[other] == 0 || number[other] > number[_pid] ||
		    (number[other] == number[_pid] && other >= _pid)
	   }

	   inside++;
	   assert(inside == 1);
	   inside--;
	   number[_pid] = 0
	od
}
