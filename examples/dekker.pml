/* Dekker's algorithm, the first solution of mutual exclusion for two processes (about 1962). Each raises its flag; if both
 * are up, the one whose turn it is not takes its flag down until it is.
 *
 * The assertion says that they are never inside together. The formula says that whoever waits gets in, which needs a fair scheduler.
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
