// expect: holds
// states: 12
// transitions: 13
// unreached: none
// spin: 6.5.2
// After blocking, the atomic sequence has no privilege: others may go first.
byte x, y;

active proctype P() { atomic { x = 1; x == 2; y = 1; y = 2 } }
active proctype Q() { atomic { x == 1 -> x = 2; y == 0 -> y = 3 } ; y = 4 }
