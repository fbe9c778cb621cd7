// expect: holds
// states: 36
// transitions: 68
// unreached: none
// spin: 6.5.2
// One value more, and it is a loop that stops anywhere.
byte x;

active proctype P() { select (x : 1 .. 33); x = 0 }
