/* Treiber's lock-free stack over a pool of cells. The head carries a version against a cell that
 * was taken and put back in between; the run ends when the versions are used up. Each process owns a
 * cell at the start, pushes it, and pops whatever is on top. No cell is ever owned by two.
 *
 * Kind: shared variables, compare-and-swap by d_step.
 * States: 15898247; depth: 109; vector: 40 bytes.
 */
#ifndef N
#define N 3
#endif
#ifndef VERSIONS
#define VERSIONS 10
#endif
#define NONE N

byte next[N] = NONE;
byte owner[N] = NONE;
byte head = NONE;
byte version;

inline look()
{
	d_step { seen = head; seen_version = version }
}

active [N] proctype User()
{
	byte cell = _pid;
	byte seen, seen_version, after;

	owner[cell] = _pid;
	do
	:: version >= VERSIONS -> break
	:: version < VERSIONS && cell != NONE ->		/* push */
		look();
		next[cell] = seen;
		d_step {
			if
			:: head == seen && version == seen_version ->
				assert(owner[cell] == _pid);
				owner[cell] = NONE;
				head = cell;
				version++;
				cell = NONE
			:: else
			fi
		}
	:: version < VERSIONS && cell == NONE ->		/* pop */
		look();
		if
		:: seen != NONE ->
			after = next[seen];
			d_step {
				if
				:: head == seen && version == seen_version ->
					assert(owner[seen] == NONE);
					owner[seen] = _pid;
					head = after;
					version++;
					cell = seen
				:: else
				fi
			}
		:: else
		fi
	od
}
