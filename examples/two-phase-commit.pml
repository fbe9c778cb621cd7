/* Two-phase commit: a coordinator asks all participants to vote, and tells them to commit only
 * if all voted yes. A participant that votes no aborts immediately. The coordinator may crash
 * after any message.
 *
 * The assertion: no participant commits if another one has aborted. The protocol is blocking:
 * with -D CRASH a participant that voted yes waits forever for a crashed coordinator, and the
 * model deadlocks.
 *
 * expect: holds
 * expect -D CRASH: violated (invalid end state)
 */
#define N 3

mtype = { prepare, yes, no, commit, abort };
chan to[N] = [2] of { mtype };
chan votes = [N] of { mtype };
byte committed, aborted;

active proctype Coordinator()
{
	byte i, agreed;

	for (i : 0 .. N - 1) {
		to[i]!prepare
	}
	for (i : 0 .. N - 1) {
		if
		:: votes?yes -> agreed++
		:: votes?no
		fi
	}
	for (i : 0 .. N - 1) {
#ifdef CRASH
		if
		:: goto crashed
		:: skip
		fi;
#endif
		if
		:: agreed == N -> to[i]!commit
		:: else -> to[i]!abort
		fi
	}
crashed:
	skip
}

proctype Participant(byte me)
{
	to[me]?prepare;
	if
	:: votes!yes;
	   if
	   :: to[me]?commit -> committed++
	   :: to[me]?abort -> aborted++
	   fi
	:: aborted++;
	   votes!no;
	   to[me]?abort
	fi;
	assert(committed == 0 || aborted == 0)
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Participant(i)
		}
	}
}
