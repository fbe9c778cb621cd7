/* Producers and consumers around a circular buffer of SLOTS places, with two counting semaphores and a lock
 * on each end. What each producer makes arrives in its order.
 *
 * Kind: shared variables, typedef, arrays, atomic.
 * States: 12659100; depth: 5079683; vector: 56 bytes.
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#define ITEMS 5			/* items are counted modulo this */

typedef Item {
	byte producer;
	byte number
}
Item buffer[SLOTS];
byte used, free = SLOTS;
byte write_at, read_at;
bool write_lock, read_lock;
byte expected[PRODUCERS];

active [PRODUCERS] proctype Producer()
{
	byte number;

	do
	:: atomic { free > 0 -> free-- }
	   atomic { !write_lock -> write_lock = true }
	   buffer[write_at].producer = _pid;
	   buffer[write_at].number = number;
	   write_at = (write_at + 1) % SLOTS;
	   write_lock = false;
	   used++;
	   number = (number + 1) % ITEMS
	od
}

active [CONSUMERS] proctype Consumer()
{
	byte producer, number;

	do
	:: atomic { used > 0 -> used-- }
	   atomic { !read_lock -> read_lock = true }
	   producer = buffer[read_at].producer;
	   number = buffer[read_at].number;
	   assert(expected[producer] == number);
	   expected[producer] = (number + 1) % ITEMS;
	   buffer[read_at].producer = 0;
	   buffer[read_at].number = 0;
	   read_at = (read_at + 1) % SLOTS;
	   read_lock = false;
	   free++;
	   producer = 0;
	   number = 0
	od
}
