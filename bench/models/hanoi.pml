/* The towers of Hanoi with four pegs (the Reve's puzzle): every position of DISCS discs can be reached.
 *
 * Kind: puzzle, one process, an array, atomic and d_step.
 * States: 1048576; depth: 8896769; vector: 24 bytes.
 */
#ifndef DISCS
#define DISCS 10
#endif
#define PEGS 4

byte on[DISCS];				/* on which peg a disc lies; disc 0 is the smallest */

active proctype Player()
{
	byte from, to, disc;

	do
	:: atomic {
		select (from : 0 .. PEGS - 1);
		select (to : 0 .. PEGS - 1);
		d_step {
			/* The first disc on either peg is the top of one of them; it may move if that is `from`. */
			disc = 0;
			do
			:: disc < DISCS && on[disc % DISCS] != from && on[disc % DISCS] != to -> disc++
			:: else -> break
			od;
			if
			:: disc < DISCS && on[disc % DISCS] == from -> on[disc] = to
			:: else
			fi;
			from = 0;
			to = 0;
			disc = 0
		}
	   }
	od
}
