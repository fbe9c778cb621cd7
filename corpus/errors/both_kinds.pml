// expect: violated assertion violated; invalid end state
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// An assertion and a deadlock in one model: both kinds are reported.
byte x;

active proctype P() { if :: x = 1 :: x = 2 fi; assert(x == 1); x == 2 }
