/* Readers and writers: many may read at once, a writer must be alone. A mutex guards the count of readers; the first reader locks
 * the room, the last one unlocks it (Courtois, Heymans and Parnas 1971, first problem: readers have priority).
 *
 * The assertions: no reader while somebody writes, and one writer at most. That a writer can wait forever while readers come
 * and go is in the nature of this solution; the formula that denies it fails.
 *
 * expect: holds
 */
#define READERS 3
#define WRITERS 2

bool mutex, room;
byte count;		/* readers who are in or about to be */
byte reading, writing;

inline lock(x)   { atomic { !x -> x = true } }
inline unlock(x) { x = false }

active [READERS] proctype Reader()
{
	do
	:: lock(mutex);
	   count++;
	   if
	   :: count == 1 -> lock(room)
	   :: else
	   fi;
	   unlock(mutex);

	   reading++;
	   assert(writing == 0);
	   reading--;

	   lock(mutex);
	   count--;
	   if
	   :: count == 0 -> unlock(room)
	   :: else
	   fi;
	   unlock(mutex)
	od
}

active [WRITERS] proctype Writer()
{
	do
	:: lock(room);
	   writing++;
	   assert(writing == 1 && reading == 0);
	   writing--;
	   unlock(room)
	od
}

ltl writers_write { [] <> (writing == 1) }
