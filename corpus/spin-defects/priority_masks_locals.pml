// expect: holds
// states: 36
// transitions: 70
// spin-differs: with priorities SPIN forgets the byte of _priority when it masks the padding of a process, so that narrow locals are not part of the state; it finds fewer states
// Two processes of one priority, one with a bit that depends on the order.
byte g;

active [2] proctype P() priority 4 { if :: g < 3 -> g++ :: else -> g = 0 fi }
active proctype Q() priority 4 { bool l; l = g }
