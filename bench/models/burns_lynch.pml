/* The one-bit mutual exclusion of Burns and Lynch: one shared bit a process is enough.
 *
 * Kind: shared variables, many processes.
 * States: 13707168; depth: 1108838; vector: 52 bytes.
 */
#ifndef N
#define N 5
#endif

bool wants[N];
byte inside;

active [N] proctype User()
{
	byte other;

	do
	:: wants[_pid] = false;
	   other = 0;
	   do
	   :: other < _pid && !wants[other] -> other++
	   :: other < _pid && wants[other] -> other = 0
	   :: other == _pid -> break
	   od;
	   wants[_pid] = true;
	   other = 0;
	   do
	   :: other < _pid ->
		if
		:: wants[other] -> goto again
		:: else -> other++
		fi
	   :: else -> break
	   od;
	   other = _pid + 1;
	   do
	   :: other < N -> !wants[other]; other++
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;
	   wants[_pid] = false;
again:	   other = 0
	od
}
