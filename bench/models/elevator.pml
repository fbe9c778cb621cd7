/* A lift with its doors, its cabin and the people who want to ride, each a process; the controller decides where to
 * go next from the buttons pressed. The doors never open between floors, and nobody is carried past.
 *
 * Kind: rendezvous, mtype, several kinds of processes.
 * States: 2885463; depth: 446835; vector: 88 bytes.
 */
#ifndef FLOORS
#define FLOORS 5
#endif
#ifndef PEOPLE
#define PEOPLE 2
#endif

mtype = { open, close, up, down, done };
chan door = [0] of { mtype };
chan motor = [0] of { mtype };
chan answer = [0] of { mtype };
bool pressed[FLOORS];
byte at;			/* where the cabin is */
bool moving, door_open;
byte riders;

active proctype Door()
{
	do
	:: door?open -> assert(!moving); door_open = true; answer!done
	:: door?close -> door_open = false; answer!done
	od
}

active proctype Motor()
{
	do
	:: motor?up -> assert(!door_open); moving = true; at++; moving = false; answer!done
	:: motor?down -> assert(!door_open); moving = true; at--; moving = false; answer!done
	od
}

active proctype Controller()
{
	bool rising = true;
	byte floor;
	bool above, below;

end:	do
	:: pressed[at] ->
		door!open;
		answer?done;
		pressed[at] = false;
		door!close;
		answer?done
	:: else ->
		d_step {
			above = false;
			below = false;
			floor = 0;
			do
			:: floor < FLOORS ->
				above = above || (floor > at && pressed[floor]);
				below = below || (floor < at && pressed[floor]);
				floor++
			:: else -> break
			od;
			floor = 0
		};
		if
		:: above && (rising || !below) -> rising = true; motor!up; answer?done
		:: below && (!rising || !above) -> rising = false; motor!down; answer?done
		:: !above && !below
		fi
	od
}

active [PEOPLE] proctype Person()
{
	byte from, to;

	do
	:: select (to : 0 .. FLOORS - 1);
	   if
	   :: to != from ->
		pressed[from] = true;
		do
		:: atomic { door_open && at == from -> riders++ } break
		:: atomic { !door_open && !pressed[from] -> pressed[from] = true }
		od;
		pressed[to] = true;
		do
		:: atomic { door_open && at == to -> riders-- } break
		:: atomic { !door_open && !pressed[to] -> pressed[to] = true }
		od;
		from = to
	   :: else
	   fi
	od
}
