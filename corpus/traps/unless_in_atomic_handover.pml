// expect: holds
// states: 15
// transitions: 18
// unreached: none
// spin: 6.5.2
// An escape inside an atomic sequence that was blocked.
byte x;

active proctype P() { { atomic { x = 1; x == 3; x = 4 } } unless { x == 2 -> x = 8 } }
active proctype Q() { x == 1 -> if :: x = 2 :: x = 3 fi }
