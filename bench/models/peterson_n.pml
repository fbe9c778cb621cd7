/* Peterson's mutual exclusion for N (at most five) processes: N - 1 rungs of a ladder, on each of which the
 * last to arrive waits until another arrives or nobody else is as high.
 *
 * Kind: shared variables. Each look at all others is one step.
 * States: 2270321; depth: 284462; vector: 60 bytes.
 */
#ifndef N
#define N 5
#endif

byte rung[N];		/* how high each process stands; 0: not interested */
byte last[N];		/* who came last to a rung */
byte inside;

#define LOWER(i)	(i >= N || i == _pid || rung[i % N] < at)

active [N] proctype User()
{
	byte at;

	do
	:: at = 1;
	   do
	   :: at < N ->
		rung[_pid] = at;
		last[at] = _pid;
		last[at] != _pid || (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4));
		at++
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;
	   rung[_pid] = 0
	od
}
