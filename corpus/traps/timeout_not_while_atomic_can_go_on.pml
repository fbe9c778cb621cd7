// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// A blocked atomic sequence that another process sets free is not a timeout.
byte x;

active proctype P() { atomic { x == 1 -> x = 2 } }
active proctype Q() { x = 1; x == 2 }
active proctype T() { timeout -> assert(x == 2 || x == 0); x = 5 }
