// expect: violated division by zero
// spin: 6.5.2
// Division by zero is an error with a trace.
byte x = 2, y;

active proctype P() { x = x - 1; x = x - 1; y = 5 / x }
