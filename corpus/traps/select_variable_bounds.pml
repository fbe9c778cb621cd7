// expect: holds
// states: 20
// transitions: 20
// unreached: none
// spin: 6.5.2
// Bounds that are not constants make a loop as well.
byte x, n = 2;

active proctype P() { select (x : n .. n + 3); assert(x >= 2 && x <= 5) }
