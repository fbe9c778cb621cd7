// expect: violated assertion violated
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// An assertion violated inside an atomic sequence; the search continues after it.
byte x;

active proctype P() { atomic { x = 1; assert(x == 0); x = 2 }; x = 3 }
