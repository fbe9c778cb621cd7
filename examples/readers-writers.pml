/* Readers and writers: several processes may read at once, a writer needs exclusive access. A
 * mutex protects the count of readers; the first reader locks the room, the last one unlocks it
 * (Courtois, Heymans and Parnas 1971, first problem: readers have priority).
 *
 * The assertions: no reader is inside with a writer, and there is at most one writer. This
 * solution can starve a writer while readers come and go; the formula that excludes this is
 * violated.
 *
 * expect: holds
 */
#define READERS 3
#define WRITERS 2

bool mutex, room;
byte count;		/* readers inside or entering */
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
