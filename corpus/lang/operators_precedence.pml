// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// Without brackets: the ranks of the operators, tightest first.
active proctype P() {
  assert(2 + 3 * 4 == 14);
  assert(1 << 2 + 1 == 8);
  assert((5 & 3 == 3) == 1);
  assert((1 | 2 ^ 3 & 1) == 3);
  assert((0 && 0 || 1) == 1);
  assert(-2 + 5 == 3);
  assert((!0 + 1) == 2);
  assert(7 - 2 > 4 && 3 < 4 == 1)
}
