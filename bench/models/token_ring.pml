/* A token ring with reservation: N stations pass a token; a station with something to send takes it,
 * sends a frame round the ring and takes it off again. A frame or token carries the highest reservation it met.
 *
 * Kind: buffered channels, mtype.
 * States: 1510310; depth: 310415; vector: 80 bytes.
 */
#ifndef N
#define N 4
#endif
#ifndef PRIORITIES
#define PRIORITIES 3
#endif

mtype = { token, frame };
chan link[N] = [1] of { mtype, byte, byte };	/* kind, sender or priority, reservation */
byte holders;

active [N] proctype Station()
{
	byte who, reservation;
	byte pending;				/* priority of what waits to be sent; 0: nothing */

	if
	:: _pid == 0 -> link[1 % N]!token(0, 0)
	:: else
	fi;
	do
	:: pending == 0 ->
		select (pending : 1 .. PRIORITIES)
	:: link[_pid]?token(who, reservation) ->
		if
		:: pending >= who && pending > 0 ->
			holders++;
			assert(holders == 1);
			link[(_pid + 1) % N]!frame(_pid, 0)
		:: else ->
			link[(_pid + 1) % N]!token((who > 0 -> who - 1 : 0), 0)
		fi;
		who = 0;
		reservation = 0
	:: link[_pid]?frame(who, reservation) ->
		if
		:: who == _pid ->
			holders--;
			pending = 0;
			link[(_pid + 1) % N]!token(reservation, 0)
		:: else ->
			if
			:: pending > reservation -> reservation = pending
			:: else
			fi;
			link[(_pid + 1) % N]!frame(who, reservation)
		fi;
		who = 0;
		reservation = 0
	od
}
