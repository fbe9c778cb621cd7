// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// A sent value is truncated to the width of the field, not of the variables.
chan q = [1] of { byte, short, bit };

active proctype P() {
  int a, b, c;
  q!300, 70000, 1;
  q?a, b, c;
  assert(a == 44 && b == 4464 && c == 1)
}
