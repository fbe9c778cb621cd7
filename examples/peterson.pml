/* Peterson's mutual exclusion algorithm for two processes. Each process raises its flag, then
 * gives the other one precedence, and waits only while the other one's flag is up and the other
 * one has precedence.
 *
 * To see a counterexample, swap the two lines marked (*).
 *
 * expect: holds
 */
bool wants[2];
byte turn;
byte inside;        /* number of processes in the critical section */

active [2] proctype User()
{
	byte other = 1 - _pid;

	do
	::
	   wants[_pid] = true;		/* (*) */
	   turn = other;		/* (*) */
	   !wants[other] || turn == _pid;

critical:
	   inside++;
	   assert(inside == 1);
	   inside--;

	   wants[_pid] = false
	od
}
