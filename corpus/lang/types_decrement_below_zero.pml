// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Unsigned types have no negative values, signed ones do.
byte y; short s; unsigned u : 4;

active proctype P() {
  y--; s--; u--;
  assert(y == 255);
  assert(s == -1);
  assert(u == 15)
}
