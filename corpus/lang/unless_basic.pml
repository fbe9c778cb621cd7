// expect: holds
// states: 27
// transitions: 38
// unreached: none
// spin: 6.5.2
// The escape is tried before each statement of the main sequence.
byte x; bool stop;

active proctype P() {
  { x = 1; x = 2; x = 3 } unless { stop -> x = 9 };
  x = x + 10
}
active proctype Q() { stop = true }
