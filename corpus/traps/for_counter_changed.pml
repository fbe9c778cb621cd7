// expect: holds
// states: 17
// transitions: 17
// unreached: none
// spin: 6.5.2
// The body may change the counter of the loop.
byte i, n;

active proctype P() {
  for (i : 1 .. 5) { n++; i++ };
  assert(n == 3)
}
