// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// & binds less tightly than ==, as in C.
active proctype P() {
  byte x = 6;
  assert((x & 2 == 2) == 0);
  assert(((x & 2) == 2) == 1);
  assert((1 << x >> 3) == 8)
}
