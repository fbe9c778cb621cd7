// expect: holds
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// One initial value serves all elements; a list in braces gives each its own.
byte a[3] = 2;
short b[3] = { 4, 5, 6 };

active proctype P() {
  byte c[2] = 1;
  byte d[4] = { 9, 8, 7, 6 };
  assert(a[0] + a[1] + a[2] == 6);
  assert(b[0] == 4 && b[1] == 5 && b[2] == 6);
  assert(c[0] == 1 && c[1] == 1);
  assert(d[0] == 9 && d[3] == 6)
}
