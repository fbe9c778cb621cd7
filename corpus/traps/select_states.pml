// expect: holds
// states: 31
// transitions: 31
// unreached: none
// spin: 6.5.2
// select with few values is a single nondeterministic step.
byte x; bool y;

active proctype P() { select (x : 0 .. 9); y = 1 }
