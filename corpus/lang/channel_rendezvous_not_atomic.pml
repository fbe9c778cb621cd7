// expect: violated invalid end state
// states: 6
// transitions: 6
// unreached: 12
// spin: 6.5.2
// The sender's atomic sequence is interrupted by a receiver that is not atomic.
chan q = [0] of { byte };
byte x;

active proctype S() { atomic { q!1; x = 1; x = 2 } }
active proctype R() { q?_; x = 3 }
active proctype O() { x == 1 -> x = 7 }
