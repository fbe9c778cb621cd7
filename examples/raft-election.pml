/* Leader election in Raft (Ongaro and Ousterhout 2014). A server whose election timeout expires
 * starts a new term, votes for itself and requests votes; it becomes leader if a majority votes
 * for it. A server votes at most once per term and adopts every higher term it sees.
 *
 * The assertion: at most one leader per term. With -D FORGETFUL a server forgets its vote, as
 * after a restart without stable storage, and two servers can win the same term.
 *
 * expect: holds
 * expect -D FORGETFUL: violated (assertion violated)
 */
#define N 3
#define TERMS 2		/* total number of elections */
#define NOBODY N

mtype = { request, granted };
chan inbox[N] = [4] of { mtype, byte, byte };	/* kind, term, from */
byte leaders[TERMS + 1];			/* in each term */

proctype Server(byte me)
{
	byte term, voted = NOBODY, votes, t, from;
	bool candidate;

end:	do
	:: atomic {
		term < TERMS ->			/* the election timeout */
		term++;
		voted = me;
		votes = 1;
		candidate = true;
		inbox[(me + 1) % N]!request(term, me);
		inbox[(me + 2) % N]!request(term, me)
	   }
	:: atomic {
		inbox[me]?request(t, from) ->
		if
		:: t > term ->
			term = t;
			voted = NOBODY;
			candidate = false
		:: else
		fi;
#ifdef FORGETFUL
		voted = NOBODY;
#endif
		if
		:: t == term && voted == NOBODY ->
			voted = from;
			inbox[from]!granted(term, me)
		:: else
		fi;
		from = 0; t = 0
	   }
	:: atomic {
		inbox[me]?granted(t, from) ->
		if
		:: candidate && t == term ->
			votes++;
			if
			:: votes * 2 > N ->
				candidate = false;
				leaders[term]++;
				assert(leaders[term] <= 1)
			:: else
			fi
		:: else
		fi;
		from = 0; t = 0
	   }
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Server(i)
		}
	}
}
