// expect: holds
// states: 5
// transitions: 5
// unreached: 9
// spin: 6.5.2
// An assignment is always enabled, so the else is never taken.
byte x;

active proctype P() { if :: x = 1 :: x == 5 -> x = 6 fi; if :: x == 1 -> x = 2 :: else -> assert(false) fi }
