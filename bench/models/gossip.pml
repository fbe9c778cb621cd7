/* Gossips with telephones: each of N people knows a secret; who calls whom is free, and after a call both know what either knew. A
 * call has begin and end, and who is on the line cannot be called. Nobody calls somebody of whom he already knows everything.
 *
 * Kind: wide vector (who knows what, and who heard what from whom), rendezvous, typedef, d_step.
 */
#ifndef N
#define N 4
#endif

typedef Memory {
	bool secret[N];
	byte teller[N]			/* from whom it was heard first, plus one */
}
Memory knows[N];
byte known[N];				/* how many secrets */
chan call[N] = [0] of { byte };

inline exchange(a, b)
{
	d_step {
		do
		:: k < N ->
			if
			:: knows[a].secret[k] && !knows[b].secret[k] -> knows[b].secret[k] = true; knows[b].teller[k] = a + 1; known[b]++
			:: !knows[a].secret[k] && knows[b].secret[k] -> knows[a].secret[k] = true; knows[a].teller[k] = b + 1; known[a]++
			:: else
			fi;
			k++
		:: else -> break
		od;
		k = 0
	}
}

active [N] proctype Person()
{
	byte other, k;

	d_step { knows[_pid].secret[_pid] = true; known[_pid] = 1 };
end:	do
	:: call[_pid]?other ->
		exchange(other, _pid);
		other = 0
	:: known[_pid] < N ->
		atomic {
			other = 0;
			do
			:: other < N - 1 -> other++
			:: break
			od
		};
		if
		:: other != _pid && !knows[_pid].secret[other] -> 
			if
			:: call[other]!_pid
			:: call[_pid]?k -> exchange(k, _pid)
			:: known[_pid] == N
			fi
		:: else
		fi;
		other = 0
	od
}
