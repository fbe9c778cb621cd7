// expect: holds
// states: 17
// transitions: 17
// unreached: none
// spin: 6.5.2
// Each type cuts a stored value to its own width: bit, bool, byte, short, int, unsigned.
bit b; bool f; byte y; short s; int i; unsigned u : 3, w : 5;

active proctype P() {
  b = 3; f = 6; y = 260; s = 40000; i = 70000; u = 13; w = 33;
  assert(b == 1 && f == 0 && y == 4);
  assert(s == -25536 && i == 70000);
  assert(u == 5 && w == 1);
  y = -1; s = -1; u = -1; b = -1;
  assert(y == 255 && s == -1 && u == 7 && b == 1)
}
