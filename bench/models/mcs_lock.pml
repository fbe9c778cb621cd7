/* The queue lock of Mellor-Crummey and Scott: each process spins on a flag of its own; the queue
 * is linked through the processes' own nodes, and only its tail is changed atomically.
 *
 * Kind: shared variables, typedef, atomic.
 * States: 1470072; depth: 318229; vector: 52 bytes.
 */
#ifndef N
#define N 4
#endif
#define NONE 255

typedef Node {
	byte next = NONE;
	bool locked
}
Node node[N];
byte tail = NONE;
byte inside;

active [N] proctype User()
{
	byte predecessor = NONE;

	do
	:: true;						/* the uncritical section */
	   node[_pid].next = NONE;
	   atomic { predecessor = tail; tail = _pid }		/* swap */
	   if
	   :: predecessor != NONE ->
		node[_pid].locked = true;
		node[predecessor].next = _pid;
		!node[_pid].locked
	   :: else
	   fi;

	   inside++;
	   assert(inside == 1);
	   inside--;

	   if
	   :: node[_pid].next == NONE ->
		if
		:: atomic { tail == _pid -> tail = NONE }	/* compare and swap */
		:: atomic { tail != _pid -> skip }; node[_pid].next != NONE; node[node[_pid].next].locked = false
		fi
	   :: else -> node[node[_pid].next].locked = false
	   fi;
	   predecessor = NONE
	od
}
