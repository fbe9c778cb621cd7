// expect: violated invalid end state
// states: 2
// transitions: 2
// unreached: 9
// spin: 6.5.2
// A deadlock inside an atomic sequence is found.
byte x;

active proctype P() { atomic { x = 1; x == 2; x = 3 } }
