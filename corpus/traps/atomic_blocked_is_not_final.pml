// expect: violated invalid end state
// states: 5
// transitions: 5
// unreached: 11
// spin: 6.5.2
// A process blocked inside atomic gives up control, and continues later.
byte x;

active proctype P() { atomic { x = 1; x == 2 -> x = 3; x = 4 } }
active proctype Q() { x == 1 -> x = 2 }
active proctype R() { x == 3 -> assert(false) }
