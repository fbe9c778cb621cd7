/* Readers and writers with precedence for writers, built from semaphores as in the textbook of
 * Courtois, Heymans and Parnas (the second problem). A semaphore is a number that is tested and
 * decremented in one step.
 *
 * Kind: shared variables, atomic.
 * States: 2108435; depth: 22209; vector: 76 bytes.
 */
#ifndef READERS
#define READERS 5
#endif
#ifndef WRITERS
#define WRITERS 3
#endif

byte mutex1 = 1, mutex2 = 1, mutex3 = 1, no_readers = 1, no_writers = 1;
byte reading, writing;			/* how many want to, as the algorithm counts */
byte readers_inside, writers_inside;	/* how many do */

#define down(s)	atomic { s > 0 -> s-- }
#define up(s)	s++

active [READERS] proctype Reader()
{
	do
	:: down(mutex3);
	   down(no_readers);
	   down(mutex1);
	   reading++;
	   if
	   :: reading == 1 -> down(no_writers)
	   :: else
	   fi;
	   up(mutex1);
	   up(no_readers);
	   up(mutex3);

	   readers_inside++;
	   assert(writers_inside == 0);
	   readers_inside--;

	   down(mutex1);
	   reading--;
	   if
	   :: reading == 0 -> up(no_writers)
	   :: else
	   fi;
	   up(mutex1)
	od
}

active [WRITERS] proctype Writer()
{
	do
	:: down(mutex2);
	   writing++;
	   if
	   :: writing == 1 -> down(no_readers)
	   :: else
	   fi;
	   up(mutex2);
	   down(no_writers);

	   writers_inside++;
	   assert(writers_inside == 1 && readers_inside == 0);
	   writers_inside--;

	   up(no_writers);
	   down(mutex2);
	   writing--;
	   if
	   :: writing == 0 -> up(no_readers)
	   :: else
	   fi;
	   up(mutex2)
	od
}
