/* Lamport's bakery algorithm (1974): a process takes a number higher than all others and waits
 * until no other process has a lower one. Numbers grow without bound while the bakery is not
 * empty; in this model a customer that would need a number above MAX tries again later.
 *
 * The other numbers are not read atomically, which is why `choosing` is needed. Without it (-D
 * HASTY) two customers with the same number can both enter.
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
