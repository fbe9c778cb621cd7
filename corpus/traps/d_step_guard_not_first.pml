// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// Only the first statement decides whether the d_step can be taken.
byte x = 1, y;

active proctype P() { d_step { x > 0; y = x; x = 0 } }
active proctype Q() { d_step { x == 0; y = y + 5 } }
