// expect: holds
// states: 9
// transitions: 12
// unreached: none
// spin: 6.5.2
// The state in which an atomic sequence is blocked is stored, those before it are not.
byte x, y;

active proctype P() { atomic { x = 1; x = 2; y == 1; x = 3; x = 4 } }
active proctype Q() { y = 1 }
