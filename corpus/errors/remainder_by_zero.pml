// expect: violated division by zero
// spin: 6.5.2
// So is the remainder.
byte x = 1, y;

active proctype P() { x--; y = 5 % x }
