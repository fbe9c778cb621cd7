// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// Comparisons and connectives give 0 or 1, and 1 can be computed with.
active proctype P() {
  byte x = 3;
  assert((x > 2) + (x >= 3) + (x < 4) + (x <= 3) + (x == 3) + (x != 4) == 6);
  assert((x && 2) == 1 && (0 || x) == 1);
  assert(!x == 0 && !0 == 1 && !(!x) == 1)
}
