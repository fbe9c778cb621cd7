/* Szymanski's mutual exclusion for N (at most six) processes with linear waiting: a waiting room with two
 * doors, described by one flag a process.
 *
 * Kind: shared variables. Each look at all flags is one step.
 * States: 3186756; depth: 4950; vector: 60 bytes.
 */
#ifndef N
#define N 6
#endif

byte flag[N];
byte inside;

#define AT_MOST_TWO(i)	(i >= N || flag[i % N] < 3)
#define AT(i, value)	(i < N && flag[i % N] == value)
#define OUTER_DOOR_OPEN	(AT_MOST_TWO(0) && AT_MOST_TWO(1) && AT_MOST_TWO(2) && AT_MOST_TWO(3) && AT_MOST_TWO(4) && AT_MOST_TWO(5))
#define ANY(value)	(AT(0, value) || AT(1, value) || AT(2, value) || AT(3, value) || AT(4, value) || AT(5, value))

active [N] proctype User()
{
	byte other;

	do
	:: flag[_pid] = 1;			/* intends to enter */
	   OUTER_DOOR_OPEN;		/* the outer door is open */
	   flag[_pid] = 3;			/* in the doorway */
	   if
	   :: ANY(1) ->				/* somebody else intends to enter: wait inside */
		flag[_pid] = 2;
		ANY(4)				/* the inner door is open */
	   :: else
	   fi;
	   flag[_pid] = 4;

	   other = 0;				/* those with lower numbers leave first */
	   do
	   :: other < _pid -> flag[other] < 2; other++
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;

	   other = _pid + 1;			/* all in the waiting room have seen the inner door */
	   do
	   :: other < N -> flag[other] < 2 || flag[other] > 3; other++
	   :: else -> break
	   od;
	   other = 0;
	   flag[_pid] = 0
	od
}
