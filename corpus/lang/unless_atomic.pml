// expect: holds
// states: 5
// transitions: 5
// unreached: 10
// spin: 6.5.2
// The escape is also tried inside an atomic sequence.
byte x; bool stop;

active proctype P() {
  atomic { x = 1; stop = true; x = 2; x = 3 } unless { stop -> x = x + 10 };
  assert(x == 11)
}
