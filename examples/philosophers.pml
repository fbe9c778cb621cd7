/* Dining philosophers who all take the left fork first: all of them can hold one fork and wait
 * for the other. Lariat finds the deadlock; with -D FIXED the last philosopher is left-handed,
 * and there is no deadlock.
 *
 * expect: violated (invalid end state)
 * expect -D FIXED: holds
 */
#define N 4

chan fork[N] = [1] of { bit };

proctype Philosopher(byte left; byte right)
{
	do
	:: fork[left]?_;
	   fork[right]?_;
eat:	   fork[right]!0;
	   fork[left]!0
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			fork[i]!0
		}
		for (i : 0 .. N - 2) {
			run Philosopher(i, i + 1)
		}
#ifdef FIXED
		run Philosopher(0, N - 1)
#else
		run Philosopher(N - 1, 0)
#endif
	}
}
