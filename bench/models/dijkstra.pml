/* Dijkstra's mutual exclusion of 1965, the generalisation of Dekker's to N processes: the
 * process that holds the turn may pass the first stage; the second checks all other processes.
 *
 * Kind: shared variables.
 * States: 4645982; depth: 478674; vector: 48 bytes.
 */
#ifndef N
#define N 4
#endif

byte flag[N];			/* 0: idle, 1: wants to enter, 2: at the second stage */
byte turn;
byte inside;

active [N] proctype User()
{
	byte other, holder;

	do
	:: flag[_pid] = 1;
first:	   do
	   :: turn == _pid -> break
	   :: else ->
		holder = turn;
		if
		:: flag[holder] == 0 -> turn = _pid
		:: else
		fi
	   od;
	   holder = 0;
	   flag[_pid] = 2;
	   other = 0;
	   do
	   :: other < N ->
		if
		:: other != _pid && flag[other] == 2 -> other = 0; flag[_pid] = 1; goto first
		:: else -> other++
		fi
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;
	   other = 0;
	   flag[_pid] = 0
	od
}
