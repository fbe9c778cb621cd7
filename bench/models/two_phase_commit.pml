/* Two-phase commit among N participants and a coordinator that both may crash and recover, with
 * their decisions in stable storage. No participant commits while another aborts.
 *
 * Kind: buffered channels, mtype, timeouts as free choice.
 * States: 791197; depth: 128; vector: 88 bytes.
 */
#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort, inquire };
mtype = { working, prepared, committed, aborted };

chan to_participant[N] = [2] of { mtype };
chan to_coordinator = [N] of { mtype, byte };
mtype decided[N] = working;
mtype decision = working;		/* the coordinator's log */

inline agreed()
{
	d_step {
		byte k;
		k = 0;
		do
		:: k < N -> assert(decided[k] != aborted); k++
		:: else -> break
		od;
		k = 0
	}
}

active proctype Coordinator()
{
	byte i, who;
	byte votes;
	bool voted[N];

	atomic {
		for (i : 0 .. N - 1) {
			to_participant[i]!prepare
		}
		i = 0
	}
collect:
	do
	:: votes == N -> decision = committed; break
	:: to_coordinator?yes(who) ->
		if
		:: !voted[who] -> voted[who] = true; votes++
		:: else
		fi
	:: to_coordinator?no(who) -> decision = aborted; break
	:: to_coordinator?inquire(who)
	:: decision = aborted; break			/* tired of waiting, or crashed before deciding */
	od;
	for (i : 0 .. N - 1) {
		if
		:: nfull(to_participant[i]) ->
			to_participant[i]!(decision == committed -> commit : abort)
		:: skip					/* lost in a crash */
		fi
	}
	i = 0;
end:	do
	:: atomic { to_coordinator?_(who) ->
		if
		:: nfull(to_participant[who]) ->
			to_participant[who]!(decision == committed -> commit : abort)
		:: full(to_participant[who])
		fi;
		who = 0 }
	od
}

active [N] proctype Participant()
{
	byte me = _pid - 1;
	mtype message;
	bool asked;

end:	do
	:: atomic { to_participant[me]?message ->
		if
		:: message == prepare && decided[me] == working ->
			if
			:: decided[me] = prepared; to_coordinator!yes(me)
			:: decided[me] = aborted; to_coordinator!no(me)
			fi
		:: message == commit && decided[me] != committed ->
			assert(decided[me] == prepared);
			decided[me] = committed;
			agreed()
		:: message == abort && decided[me] != aborted ->
			assert(decided[me] != committed);
			decided[me] = aborted
		:: else
		fi;
		message = 0 }
	:: decided[me] == working -> decided[me] = aborted	/* gave up before the vote */
	:: decided[me] == prepared && !asked && nfull(to_coordinator) ->
		asked = true;
		to_coordinator!inquire(me)
	od
}
