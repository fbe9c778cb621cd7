/* Peterson's mutual exclusion for N processes: N - 1 rungs of a ladder, on each of which the
 * last to arrive waits until another arrives or nobody else is as high.
 *
 * Kind: shared variables. The others are looked at one at a time, as in the original.
 */
#ifndef N
#define N 4
#endif

byte rung[N];		/* how high each process stands; 0: not interested */
byte last[N];		/* who came last to a rung */
byte inside;

active [N] proctype User()
{
	byte at, other;

	do
	:: at = 1;
	   do
	   :: at < N ->
		rung[_pid] = at;
		last[at] = _pid;
		other = 0;
		do
		:: other == N -> break
		:: other < N ->
		   if
		   :: other == _pid || rung[other] < at -> other++
		   :: last[at] != _pid -> other = N
		   fi
		od;
		at++
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;
	   rung[_pid] = 0
	od
}
