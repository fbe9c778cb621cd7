/* Mutual exclusion by turns, after section 2 of Peled's survey: a process that waits can be preempted until its turn comes. With
 * -D BUSY it waits busily, looking again and again. Whose turn it is first makes no difference to the states that are reached. */
byte turn;

active [2] proctype P() {
L:	skip;
NC:	if
	:: turn == _pid
#ifdef BUSY
	:: else -> goto NC
#endif
	fi;
CR:	turn = 1 - _pid;
	goto L
}

ltl enters { []<>P[0]@CR && []<>P[1]@CR }
