// expect: holds
// states: 13
// transitions: 19
// unreached: none
// spin: 6.5.2
// A d_step as one step of an atomic sequence.
byte x, y;

active [2] proctype P() { atomic { x++; d_step { y = x; x = y + 1 }; y++ } ; assert(x % 2 == 0) }
