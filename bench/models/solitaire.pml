/* Peg solitaire on a board of ROWS by COLUMNS with one hole: a peg jumps over a neighbour into a hole and the neighbour
 * is taken off. How many positions are there?
 *
 * Kind: puzzle, one process, an array, atomic.
 * States: 873327; depth: 801; vector: 36 bytes.
 */
#ifndef ROWS
#define ROWS 5
#endif
#ifndef COLUMNS
#define COLUMNS 5
#endif
#ifndef HOLE
#define HOLE 0
#endif
#define PLACES (ROWS * COLUMNS)

#define MAY_JUMP(step)	peg[at + step] && !peg[at + 2 * (step)]
bool peg[PLACES];
byte left;

inline jump(step)
{
	peg[at] = false;
	peg[at + step] = false;
	peg[at + 2 * (step)] = true;
	left--
}

active proctype Player()
{
	byte at;

	d_step {
		do
		:: at < PLACES -> peg[at] = (at != HOLE); at++
		:: else -> break
		od;
		at = 0;
		left = PLACES - 1
	};
	do
	:: atomic {
		select (at : 0 .. PLACES - 1);
		if
		:: peg[at] && at % COLUMNS < COLUMNS - 2 && MAY_JUMP(1) -> jump(1)
		:: peg[at] && at % COLUMNS > 1 && MAY_JUMP(-1) -> jump(-1)
		:: peg[at] && at / COLUMNS < ROWS - 2 && MAY_JUMP(COLUMNS) -> jump(COLUMNS)
		:: peg[at] && at / COLUMNS > 1 && MAY_JUMP(-COLUMNS) -> jump(-COLUMNS)
		:: else
		fi;
		at = 0;
		assert(left > 0)
	   }
	od
}
