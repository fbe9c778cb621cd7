// expect: violated assertion violated
// states: 136
// transitions: 285
// unreached: none
// spin: 6.5.2
// A plain assertion that some run violates.
byte x;

active [2] proctype P() { byte t; t = x; t++; x = t; assert(x != 1 || _nr_pr == 2) }
active proctype Q() { assert(x < 2) }
