// expect: holds
// states: 29
// transitions: 29
// unreached: none
// spin: 6.5.2
// A counter at the end of its type's range ends by leaving it unbounded: use a wider type.
short i; byte n;

active proctype P() {
  for (i : 250 .. 257) { n++ };
  assert(n == 8 && i == 258)
}
