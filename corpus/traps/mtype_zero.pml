// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// A symbolic variable without a value is 0, which has no name.
mtype = { a, b };
mtype m;

active proctype P() { assert(m == 0 && m != a && m != b); m = b; assert(m == 1) }
