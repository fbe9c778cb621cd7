/* A tournament of two-process Peterson locks: N processes climb a binary tree of 2 * LEAVES - 1
 * nodes, winning at each node against the process from the other side.
 *
 * Kind: shared variables.
 * States: 3188008; depth: 528669; vector: 68 bytes.
 */
#ifndef N
#define N 5
#endif
#define LEAVES 8

bool wants[16];		/* indexed by the node one comes from; node 1 is the root */
bit turn[8];		/* indexed by the inner node that is fought for */
byte inside;

active [N] proctype Player()
{
	byte node;

	do
	:: node = LEAVES + _pid;
	   do
	   :: node > 1 ->
		wants[node] = true;
		turn[node / 2] = node % 2;
		!wants[node ^ 1] || turn[node / 2] != node % 2;
		node = node / 2
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;

	   /* Give back from the root down to the own leaf. */
	   if
	   :: LEAVES + _pid >= 8 -> node = (LEAVES + _pid) / 4;
		wants[node] = false;
		node = (LEAVES + _pid) / 2;
		wants[node] = false;
		node = LEAVES + _pid;
		wants[node] = false
	   fi
	od
}
