/* Transactions under two-phase locking: CLIENTS clients move money between ACCOUNTS accounts. A transaction that meets a
 * lock of a client with a higher number gives up, so that nobody waits in a circle. The total never changes.
 *
 * Kind: shared variables, atomic and d_step, typedef.
 * States: 6729545; depth: 4406919; vector: 60 bytes.
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef ACCOUNTS
#define ACCOUNTS 4
#endif
#define OPENING 2

typedef Account {
	byte balance = OPENING;
	byte holder			/* a client's number plus one; 0: not locked */
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
	   atomic { account[from].holder == 0 -> account[from].holder = _pid + 1 };
	   old_from = account[from].balance;
	   if
	   :: old_from == 0 -> goto release
	   :: else
	   fi;
	   /* Wait for the second only if its holder has a lower number, otherwise give up. */
	   if
	   :: atomic { account[to].holder == 0 -> account[to].holder = _pid + 1 }
	   :: account[to].holder > _pid + 1 -> goto release
	   fi;
	   old_to = account[to].balance;
	   under_way++;
	   account[from].balance = old_from - 1;
	   account[to].balance = old_to + 1;
	   under_way--;
	   total();
	   account[to].holder = 0;
release:   atomic { account[from].holder = 0; from = 0; to = 0; old_from = 0; old_to = 0 }
	od
}
