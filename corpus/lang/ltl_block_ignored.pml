// expect: holds
// states: 2
// transitions: 3
// unreached: 3 8 9 10 14 19
// spin: 6.5.2
// Nor does an ltl block.
byte x;

active proctype P() { do :: x = 1 - x od }
ltl live { [] <> (x == 1) }
ltl { [] (x < 2) }
