// expect: holds
// states: 21
// transitions: 33
// unreached: none
// spin: 6.5.2
// The states inside an atomic sequence are not stored.
byte x, y;

active [2] proctype P() {
  atomic { x++; y++; x++; y++ };
  assert(x == y);
  atomic { x--; y-- }
}
