// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// Unsigned values take part in signed arithmetic.
unsigned u : 4 = 2;

active proctype P() { assert(u - 3 == -1 && u - 3 < 0); u = u - 3; assert(u == 15) }
