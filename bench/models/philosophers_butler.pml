/* Dining philosophers with a butler who lets at most N - 1 sit down. Forks and butler are processes; every
 * request is a handshake. Each philosopher counts meals modulo two.
 *
 * Kind: rendezvous, channels in arrays.
 * States: 1010943; depth: 788132; vector: 204 bytes.
 */
#ifndef N
#define N 5
#endif

chan sit_down = [0] of { byte };
chan get_up = [0] of { byte };
chan take[N] = [0] of { byte };
chan put[N] = [0] of { byte };
byte eating[N];

active [N] proctype Philosopher()
{
	byte left = _pid;
	byte right = (_pid + 1) % N;

	do
	:: sit_down!_pid;
	   if
	   :: take[left]!_pid; take[right]!_pid
	   :: take[right]!_pid; take[left]!_pid
	   fi;
	   eating[_pid] = 1;
	   assert(!eating[(_pid + 1) % N] && !eating[(_pid + N - 1) % N]);
	   eating[_pid] = 0;
	   put[left]!_pid;
	   put[right]!_pid;
	   get_up!_pid
	od
}

active [N] proctype Fork()
{
	byte me = _pid - N;
	byte who;

	do
	:: take[me]?who; put[me]?eval(who); who = 0
	od
}

active proctype Butler()
{
	byte seated;

	do
	:: seated < N - 1 -> sit_down?_; seated++
	:: seated > 0 -> get_up?_; seated--
	od
}
