/* Mutual exclusion by turns, after section 2 of Peled's survey; a process that waits can be preempted until its turn comes. With
 * -D BUSY it waits busily: it looks again and again. The turn is anybody's at first. */
byte turn;

inline wait(me) {
	if
	:: turn == me
#ifdef BUSY
	:: else -> goto NC
#endif
	fi
}

proctype P(byte me) {
L:	skip;
NC:	if
	:: turn == me
#ifdef BUSY
	:: else -> goto NC
#endif
	fi;
CR:	turn = 1 - me;
	goto L
}

init {
	d_step {
		if
		:: turn = 0
		:: turn = 1
		fi
	}
	atomic {
		run P(0);
		run P(1)
	}
}
