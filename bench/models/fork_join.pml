/* Fork and join: a sum over a range of numbers by recursive halving; each half is a new process that answers
 * over a channel of its own. WORKERS such sums run at once.
 *
 * Kind: dynamic creation and death of processes, channels as parameters and locals.
 * States: 205459; depth: 48; vector: 164 bytes.
 */
#ifndef LEAVES
#define LEAVES 5
#endif
#ifndef WORKERS
#define WORKERS 1
#endif

byte finished;

proctype Sum(byte low; byte high; chan answer)
{
	chan half = [2] of { byte };
	byte left, right;

	if
	:: low + 1 == high -> answer!low
	:: else ->
		run Sum(low, (low + high) / 2, half);
		run Sum((low + high) / 2, high, half);
		half?left;
		half?right;
		answer!(left + right)
	fi
}

active [WORKERS] proctype Worker()
{
	chan answer = [1] of { byte };
	byte sum;

	run Sum(0, LEAVES, answer);
	answer?sum;
	assert(sum == LEAVES * (LEAVES - 1) / 2);
	finished++
}
