// expect: holds
// states: 10
// transitions: 12
// unreached: none
// spin: 6.5.2
// Waiting until all others have gone.
byte x;

active proctype Boss() { _nr_pr == 1; assert(x == 2) }
active [2] proctype W() { x++ }
