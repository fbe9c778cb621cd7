/* Lamport's fast mutual exclusion: seven accesses to memory when nobody else wants to enter.
 *
 * Kind: shared variables.
 * States: 2321034; depth: 305880; vector: 44 bytes.
 */
#ifndef N
#define N 4
#endif

byte first, second;		/* 0: nobody; otherwise a process's number plus one */
bool wants[N];
byte inside;

active [N] proctype User()
{
	byte other;

start:	wants[_pid] = true;
	first = _pid + 1;
	if
	:: second != 0 ->
		wants[_pid] = false;
		second == 0;
		goto start
	:: else
	fi;
	second = _pid + 1;
	if
	:: first != _pid + 1 ->
		wants[_pid] = false;
		other = 0;
		do
		:: other < N -> !wants[other]; other++
		:: else -> break
		od;
		other = 0;
		if
		:: second != _pid + 1 -> second == 0; goto start
		:: else
		fi
	:: else
	fi;

	inside++;
	assert(inside == 1);
	inside--;
	second = 0;
	wants[_pid] = false;
	goto start
}
