/* A real-time kernel: TASKS tasks in a table of control blocks, fixed priorities with inheritance, three locks taken in order, a
 * tick. The task that runs is always the one with the highest priority among those that are ready.
 *
 * Kind: atomic and d_step, a table of records, mtype, typedef.
 * States: 3250449; depth: 3416; vector: 96 bytes.
 */
#ifndef TASKS
#define TASKS 4
#endif
#define LOCKS 3
#define NOBODY 255

mtype = { dormant, ready, running, blocked };

typedef Block {
	mtype state = dormant;
	byte rank, inherited;
	byte waits_for = NOBODY;
	byte holds[LOCKS];
	byte budget;
	short deadline
}
Block task[TASKS];
byte owner[LOCKS] = NOBODY;
byte current = NOBODY;
byte activations;

/* The ready task with the highest priority runs. */
inline dispatch()
{
	best = NOBODY;
	i = 0;
	do
	:: i < TASKS ->
		if
		:: task[i].state == running -> task[i].state = ready
		:: else
		fi;
		if
		:: task[i].state == ready && best == NOBODY -> best = i
		:: task[i].state == ready && best != NOBODY && task[i].inherited > task[best % TASKS].inherited -> best = i
		:: else
		fi;
		i++
	:: else -> break
	od;
	current = best;
	if
	:: best != NOBODY -> assert(task[best].state == ready); task[best].state = running
	:: else
	fi;
	best = 0;
	i = 0
}

active [TASKS] proctype Task()
{
	byte lock, i, best;

	d_step { task[_pid].rank = _pid; task[_pid].inherited = _pid };
	do
	:: d_step { task[_pid].state == dormant && activations < TASKS ->
		activations++;
		task[_pid].state = ready;
		task[_pid].budget = 3;
		dispatch() }
	:: atomic { current == _pid && task[_pid].budget > 0 && task[_pid].holds[lock] == 0 && lock < LOCKS - 1 -> lock++ }
	:: d_step { current == _pid && task[_pid].budget > 0 && task[_pid].holds[lock] == 0 && owner[lock] == NOBODY ->
		owner[lock] = _pid;
		task[_pid].holds[lock] = 1;
		task[_pid].budget-- }
	:: d_step { current == _pid && task[_pid].budget > 0 && task[_pid].holds[lock] == 0 && owner[lock] != NOBODY && owner[lock] > lock ->
		task[_pid].state = blocked;
		task[_pid].waits_for = lock;
		if
		:: task[owner[lock]].inherited < task[_pid].inherited -> task[owner[lock]].inherited = task[_pid].inherited
		:: else
		fi;
		dispatch() }
	:: d_step { current == _pid && task[_pid].holds[lock] == 1 ->
		task[_pid].holds[lock] = 0;
		owner[lock] = NOBODY;
		task[_pid].inherited = task[_pid].rank;
		i = 0;
		do
		:: i < TASKS ->
			if
			:: task[i].state == blocked && task[i].waits_for == lock -> task[i].state = ready; task[i].waits_for = NOBODY
			:: else
			fi;
			i++
		:: else -> break
		od;
		dispatch() }
	:: d_step { current == _pid && task[_pid].budget == 0 && task[_pid].holds[lock] == 0 ->
		task[_pid].state = dormant;
		activations--;
		lock = 0;
		dispatch() }
	od
}

active proctype Tick()
{
	byte i, best;

	do
	:: d_step { current != NOBODY && task[current % TASKS].budget > 0 ->
		task[current].budget--;
		task[current].deadline++;
		if
		:: task[current].deadline == 2 -> task[current].deadline = 0
		:: else
		fi }
	od
}
