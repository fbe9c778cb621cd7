// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// A bool keeps one bit: 2 becomes 0.
bool b; byte n;

active proctype P() { b = 2; n = b; assert(n == 0); b = 3; assert(b == 1) }
