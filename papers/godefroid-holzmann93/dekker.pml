/* Dekker's algorithm, written after Figure 1 of Godefroid and Holzmann (1993). A jump costs no step; the loops at l5 and m5 are busy
 * waiting: while it is not their turn, the processes can always make a step there. */
byte t = 1;
bool y1, y2;

active proctype P1() {
l0:	skip;		/* noncritical section */
l1:	y1 = true;
l2:	if
	:: !y2 -> goto l7
	:: else
	fi;
l3:	if
	:: t == 1 -> goto l2
	:: else
	fi;
l4:	y1 = false;
l5:	if
	:: t == 1 -> goto l1
	:: else -> goto l5
	fi;
l7:	t = 2;		/* critical section */
l8:	y1 = false;
	goto l0
}

active proctype P2() {
m0:	skip;
m1:	y2 = true;
m2:	if
	:: !y1 -> goto m7
	:: else
	fi;
m3:	if
	:: t == 2 -> goto m2
	:: else
	fi;
m4:	y2 = false;
m5:	if
	:: t == 2 -> goto m1
	:: else -> goto m5
	fi;
m7:	t = 1;
m8:	y2 = false;
	goto m0
}
