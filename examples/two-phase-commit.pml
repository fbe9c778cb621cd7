/* Two-phase commit: a coordinator asks all participants, and tells them to commit only if all voted yes. A participant that voted no
 * has aborted already. The coordinator may crash after any message.
 *
 * The assertion: nobody commits while another has aborted. What the protocol is known for not giving: with -D CRASH
 * a participant that has voted yes waits forever for a coordinator that is gone, and the model ends in a deadlock.
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
