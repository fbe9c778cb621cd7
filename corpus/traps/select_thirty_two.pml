// expect: holds
// states: 35
// transitions: 66
// unreached: none
// spin: 6.5.2
// The largest range that is still a single step.
byte x;

active proctype P() { select (x : 1 .. 32); x = 0 }
