/* Knuth's mutual exclusion (Additional comments on a problem in concurrent programming control, 1966): as Dijkstra's, and
 * nobody waits for ever.
 *
 * Kind: shared variables.
 * States: 32288344; depth: 2514916; vector: 44 bytes.
 */
#ifndef N
#define N 4
#endif

byte control[N];		/* 0: outside, 1: wants to, 2: about to enter */
byte turn;
byte inside;
byte served;			/* how many have been inside, as a counter on the wall shows it */

active [N] proctype Process()
{
	byte j;

	do
	:: true ->
again:		control[_pid] = 1;
		j = turn;
		do
		:: j != _pid ->
			if
			:: control[j] != 0 -> j = turn
			:: else -> j = (j + N - 1) % N
			fi
		:: else -> break
		od;
		control[_pid] = 2;
		j = 0;
		do
		:: j < N ->
			if
			:: j != _pid && control[j] == 2 -> goto again
			:: else -> j++
			fi
		:: else -> break
		od;
		turn = _pid;
		inside++;
		assert(inside == 1);
		served = (served + 1) % 8;
		inside--;
		turn = (_pid + N - 1) % N;
		control[_pid] = 0;
		j = 0
	od
}
