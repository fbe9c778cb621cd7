/* Dekker's algorithm, the first solution to mutual exclusion for two processes (about 1962).
 * Each process raises its flag; if both flags are up, the process whose turn it is not lowers
 * its flag until it is.
 *
 * The assertion states mutual exclusion. The formula states that a waiting process eventually
 * enters, which requires a fair scheduler.
 *
 * expect: holds
 */
bool flag[2];
byte turn;
byte inside;

active [2] proctype Process()
{
	byte me = _pid, other = 1 - _pid;

	do
	:: flag[me] = true;
	   do
	   :: !flag[other] -> break
	   :: flag[other] ->
waiting:	if
		:: turn == other ->
			flag[me] = false;
			turn != other;
			flag[me] = true
		:: turn == me
		fi
	   od;

	   inside++;
critical:  assert(inside == 1);
	   inside--;

	   turn = other;
	   flag[me] = false
	od
}

ltl served { [] (Process[0]@waiting -> <> Process[0]@critical) }
