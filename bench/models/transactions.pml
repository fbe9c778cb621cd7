/* Transactions under two-phase locking: CLIENTS clients read and write ACCOUNTS accounts with shared and exclusive locks; a
 * transaction that would wait for a younger one is rolled back from its log. The total never changes.
 *
 * Kind: wide vector, atomic and d_step, typedef.
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef ACCOUNTS
#define ACCOUNTS 5
#endif
#define OPENING 2

typedef Account {
	byte balance = OPENING;
	byte writer;			/* a client's number plus one */
	byte readers[CLIENTS]
}
Account account[ACCOUNTS];

inline total()
{
	d_step {
		sum = 0;
		k = 0;
		do
		:: k < ACCOUNTS -> sum = sum + account[k].balance; k++
		:: else -> break
		od;
		assert(sum == OPENING * ACCOUNTS || under_way > 0);
		sum = 0;
		k = 0
	}
}
byte under_way;

active [CLIENTS] proctype Client()
{
	byte from, to, old_from, old_to, k, sum;

	do
	:: atomic {
		from = 0;
		do
		:: from < ACCOUNTS - 1 -> from++
		:: break
		od;
		to = (from + 1) % ACCOUNTS
	   };
	   /* Lock the first account for writing. */
	   atomic { account[from].writer == 0 -> account[from].writer = _pid + 1 };
	   old_from = account[from].balance;
	   if
	   :: old_from == 0 -> goto release
	   :: else
	   fi;
	   /* Wait for the second only if its holder has a lower number, otherwise give up. */
	   if
	   :: atomic { account[to].writer == 0 -> account[to].writer = _pid + 1 }
	   :: account[to].writer > _pid + 1 -> goto release
	   fi;
	   old_to = account[to].balance;
	   under_way++;
	   account[from].balance = old_from - 1;
	   account[to].balance = old_to + 1;
	   under_way--;
	   total();
	   account[to].writer = 0;
release:   atomic { account[from].writer = 0; from = 0; to = 0; old_from = 0; old_to = 0 }
	od
}
