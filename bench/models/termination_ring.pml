/* Safra's detection of termination in a ring: a token counts messages under way and remembers by its colour
 * whether a node was woken behind it. Node 0 announces termination only after all nodes have ended.
 *
 * Kind: buffered channels, typedef, arrays of processes.
 * States: 5080827; depth: 412; vector: 104 bytes.
 */
#ifndef N
#define N 3
#endif
#ifndef WORK
#define WORK 4			/* how many messages are sent in all */
#endif

typedef Progress {
	bool busy = true;
	bool black;
	short balance			/* messages sent minus messages received */
}
Progress node[N];
chan mail[N] = [WORK] of { bit };
chan token[N] = [1] of { bool, short };	/* black, sum of balances */
byte sent;

active [N] proctype Node()
{
	bool black;
	short sum;
	byte to;

	if
	:: _pid == 0 -> token[N - 1]!false(0)
	:: else
	fi;
end:	do
	:: node[_pid].busy && sent < WORK ->
		atomic {
			select (to : 0 .. N - 1);
			if
			:: to != _pid && sent < WORK ->
				sent++;
				node[_pid].balance++;
				mail[to]!1
			:: else
			fi;
			to = 0
		}
	:: node[_pid].busy -> node[_pid].busy = false
	:: mail[_pid]?1 ->
		node[_pid].busy = true;
		node[_pid].balance--;
		node[_pid].black = true
	:: !node[_pid].busy && nempty(token[_pid]) ->
		token[_pid]?black(sum);
		if
		:: _pid == 0 ->
			if
			:: !black && !node[0].black && sum + node[0].balance == 0 -> break
			:: else ->
				node[0].black = false;
				token[N - 1]!false(0)
			fi
		:: else ->
			token[_pid - 1]!(black || node[_pid].black)(sum + node[_pid].balance);
			node[_pid].black = false
		fi;
		black = false;
		sum = 0
	od;
	/* Only node 0 comes here: nobody works and nothing is under way. */
	to = 0;
	d_step {
		do
		:: to < N -> assert(!node[to].busy && empty(mail[to])); to++
		:: else -> break
		od
	}
}
