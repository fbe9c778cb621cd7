/* Distance-vector routing: N routers on a ring learn the way to each other by reading the table of whoever has news. One
 * link fails, unless with -DRELIABLE. No distance ever counts beyond INFINITY.
 *
 * Kind: wide vector (tables of all routers), buffered channels, typedef, d_step.
 * States: 1372534; depth: 179; vector: 152 bytes.
 */
#ifndef N
#define N 5
#endif
#define INFINITY N

typedef Table {
	byte distance[N];
	byte via[N]
}
Table router[N];
bool up[N] = true;			/* the link between router i and its right neighbour */
chan inbox[N] = [1] of { byte };	/* who has news */
#ifndef RELIABLE
bool failed;
#endif

#define RIGHT(i)	((i + 1) % N)
#define LEFT(i)		((i + N - 1) % N)

inline announce()
{
	d_step {
		if
		:: up[me] && nfull(inbox[RIGHT(me)]) -> inbox[RIGHT(me)]!me
		:: !up[me] || full(inbox[RIGHT(me)])
		fi;
		if
		:: up[LEFT(me)] && nfull(inbox[LEFT(me)]) -> inbox[LEFT(me)]!me
		:: !up[LEFT(me)] || full(inbox[LEFT(me)])
		fi
	}
}

active [N] proctype Router()
{
	byte me = _pid;
	byte from, to;
	bool changed;

	d_step {
		do
		:: to < N ->
			router[me].distance[to] = (to == me -> 0 : INFINITY);
			router[me].via[to] = me;
			to++
		:: else -> break
		od;
		to = 0
	};
	announce();
end:	do
	:: atomic { inbox[me]?from ->
		d_step {
			do
			:: to < N ->
				if
				:: router[from].via[to] != me && router[from].distance[to] + 1 < router[me].distance[to] ->
					router[me].distance[to] = router[from].distance[to] + 1;
					router[me].via[to] = from;
					changed = true
				:: router[me].via[to] == from && router[me].distance[to] <= router[from].distance[to] ->
					router[me].distance[to] = (router[from].distance[to] + 1 < INFINITY -> router[from].distance[to] + 1 : INFINITY);
					changed = (router[from].distance[to] < INFINITY)
				:: else
				fi;
				assert(router[me].distance[to] <= INFINITY);
				to++
			:: else -> break
			od;
			to = 0;
			from = 0
		};
		if
		:: changed -> changed = false; announce()
		:: else
		fi }
#ifndef RELIABLE
	:: d_step { me == 0 && !failed -> failed = true; up[0] = false }
#endif
	od
}
