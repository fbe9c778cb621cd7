/* Single-decree Paxos: PROPOSERS proposers with one ballot each and ACCEPTORS acceptors; messages are
 * delayed, reordered and, which is the same as being delayed for ever, lost. Two proposers never find different values chosen.
 *
 * Kind: buffered channels with sorted send and random receive, atomic, mtype.
 * States: 344526; depth: 174; vector: 172 bytes.
 */
#ifndef PROPOSERS
#define PROPOSERS 2
#endif
#ifndef ACCEPTORS
#define ACCEPTORS 3
#endif
#define MAJORITY (ACCEPTORS / 2 + 1)

mtype = { prepare, accept };

chan to_acceptor[ACCEPTORS] = [2 * PROPOSERS] of { mtype, byte, byte };	/* kind, ballot, value */
chan promise[PROPOSERS] = [ACCEPTORS] of { byte, byte };		/* ballot and value accepted before */
chan accepted[PROPOSERS] = [ACCEPTORS] of { byte };			/* the acceptor */
byte chosen;

active [PROPOSERS] proctype Proposer()
{
	byte ballot = _pid + 1;
	byte value = _pid + 1;
	byte highest, heard, i, before, its_value;

	atomic {
		for (i : 0 .. ACCEPTORS - 1) {
			to_acceptor[i]!!prepare(ballot, 0)
		}
		i = 0
	}
	do
	:: heard < MAJORITY ->
end_promises:	promise[_pid]?before(its_value);
		atomic {
			heard++;
			if
			:: before > highest -> highest = before; value = its_value
			:: else
			fi;
			before = 0;
			its_value = 0
		}
	:: else -> break
	od;
	heard = 0;
	atomic {
		for (i : 0 .. ACCEPTORS - 1) {
			to_acceptor[i]!!accept(ballot, value)
		}
		i = 0
	}
	do
	:: heard < MAJORITY ->
end_accepts:	accepted[_pid]?before;
		heard++
	:: else -> break
	od;
	before = 0;
	atomic {
		assert(chosen == 0 || chosen == value);
		chosen = value
	}
end:	false
}

active [ACCEPTORS] proctype Acceptor()
{
	byte me = _pid - PROPOSERS;
	byte promised, last_ballot, last_value, ballot, value;

end:	do
	:: atomic { to_acceptor[me]??prepare(ballot, value) ->
		if
		:: ballot > promised ->
			promised = ballot;
			promise[ballot - 1]!!last_ballot(last_value)
		:: else
		fi;
		ballot = 0;
		value = 0 }
	:: atomic { to_acceptor[me]??accept(ballot, value) ->
		if
		:: ballot >= promised ->
			d_step { promised = ballot; last_ballot = ballot; last_value = value };
			accepted[ballot - 1]!!me
		:: else
		fi;
		ballot = 0;
		value = 0 }
	od
}
