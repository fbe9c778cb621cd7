/* Producers and consumers of a ring buffer, with a classic error: one condition variable for
 * both "not full" and "not empty", and a `notify` that wakes only one process.
 *
 * The woken process may be of the wrong kind; then all processes sleep forever. Lariat finds
 * the deadlock; with -D NOTIFY_ALL there is none.
 *
 * expect: violated (invalid end state)
 * expect -D NOTIFY_ALL: holds
 */
#define SIZE 1

bool locked;
byte stored;
bool asleep[4];		/* processes waiting for a notification */

inline lock()   { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

inline wait() {
	atomic { asleep[_pid] = true; locked = false };
	!asleep[_pid];
	lock()
}

inline notify() {
	atomic {
#ifdef NOTIFY_ALL
		asleep[0] = false; asleep[1] = false; asleep[2] = false; asleep[3] = false
#else
		if
		:: asleep[0] -> asleep[0] = false
		:: asleep[1] -> asleep[1] = false
		:: asleep[2] -> asleep[2] = false
		:: asleep[3] -> asleep[3] = false
		:: else
		fi
#endif
	}
}

active [2] proctype Producer()
{
end:	do
	:: lock();
	   do
	   :: stored == SIZE -> wait()
	   :: else -> break
	   od;
	   stored++;
	   assert(stored <= SIZE);
	   notify();
	   unlock()
	od
}

active [2] proctype Consumer()
{
end:	do
	:: lock();
	   do
	   :: stored == 0 -> wait()
	   :: else -> break
	   od;
	   stored--;
	   notify();
	   unlock()
	od
}
