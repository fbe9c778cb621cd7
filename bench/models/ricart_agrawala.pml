/* Mutual exclusion without shared memory, by Ricart and Agrawala: ask everybody with a time stamp, enter
 * when all have agreed. The clocks end at LIMIT, and with them the requests.
 *
 * Kind: buffered channels, d_step, mtype.
 * States: 2115483; depth: 436; vector: 132 bytes.
 */
#ifndef N
#define N 3
#endif
#ifndef LIMIT
#define LIMIT 4
#endif

mtype = { request, reply };
chan inbox[N] = [2 * N] of { mtype, byte, byte };	/* kind, time, sender */
byte inside;

active [N] proctype Node()
{
	byte clock, stamp, replies, time, from, i;
	bool wants, deferred[N];

end:	do
	:: !wants && clock < LIMIT ->
		d_step { wants = true; clock++; stamp = clock; replies = 0 };
		for (i : 0 .. N - 1) {
			if
			:: i != _pid -> inbox[i]!request(stamp, _pid)
			:: else
			fi
		}
		i = 0
	:: inbox[_pid]?request(time, from) ->
		clock = (time > clock -> time : clock);
		if
		:: wants && (stamp < time || (stamp == time && _pid < from)) -> deferred[from] = true
		:: else -> inbox[from]!reply(clock, _pid)
		fi;
		d_step { time = 0; from = 0 }
	:: inbox[_pid]?reply(time, from) ->
		d_step { replies++; time = 0; from = 0 }
	:: wants && replies == N - 1 ->
		inside++;
		assert(inside == 1);
		inside--;
		d_step { wants = false; replies = 0; stamp = 0 };
		for (i : 0 .. N - 1) {
			if
			:: deferred[i] -> deferred[i] = false; inbox[i]!reply(clock, _pid)
			:: else
			fi
		}
		i = 0
	od
}
