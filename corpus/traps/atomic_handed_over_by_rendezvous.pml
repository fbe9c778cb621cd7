// expect: holds
// states: 7
// transitions: 7
// unreached: 12
// spin: 6.5.2
// Control passes to a receiver in atomic, which then runs to the end of its sequence.
chan q = [0] of { bit };
byte x;

active proctype S() { atomic { x = 1; q!0; x++; x++ } }
active proctype R() { atomic { q?0; x = 10; x++ } }
active proctype O() { do :: x == 10 -> assert(false) :: x == 13 -> break od }
