// expect: holds
// states: 17
// transitions: 23
// unreached: none
// spin: 6.5.2
// Declarations before any statement take the values at the start of the process.
byte g = 1;

proctype P() {
  byte a = g;
  byte b = a + 1;
  assert(a == 1 && b == 2 || a == 5 && b == 6)
}

init { run P(); g = 5; run P() }
