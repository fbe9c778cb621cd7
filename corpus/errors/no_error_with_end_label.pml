// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// The same wait, but allowed.
byte x;

active proctype P() { if :: x = 1 :: x = 2 fi; end: x == 2 }
