/* The sliding tiles puzzle on a board of ROWS by COLUMNS: all positions that can be reached, which is half of
 * all permutations.
 *
 * Kind: puzzle, one process, an array, atomic.
 * States: 1814401; depth: 6458430; vector: 32 bytes.
 */
#ifndef ROWS
#define ROWS 2
#endif
#ifndef COLUMNS
#define COLUMNS 5
#endif
#define PLACES (ROWS * COLUMNS)

byte board[PLACES];
byte hole;

inline slide(expression)
{
	from = expression;
	board[hole] = board[from];
	board[from] = 0;
	hole = from;
	from = 0
}

active proctype Player()
{
	byte i, from;

	d_step {
		do
		:: i < PLACES - 1 -> board[i] = i + 1; i++
		:: else -> break
		od;
		hole = PLACES - 1;
		i = 0
	};
	do
	:: atomic { hole >= COLUMNS -> slide(hole - COLUMNS) }
	:: atomic { hole < PLACES - COLUMNS -> slide(hole + COLUMNS) }
	:: atomic { hole % COLUMNS > 0 -> slide(hole - 1) }
	:: atomic { hole % COLUMNS < COLUMNS - 1 -> slide(hole + 1) }
	od
}
