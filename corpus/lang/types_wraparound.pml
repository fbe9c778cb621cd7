// expect: holds
// states: 384
// transitions: 385
// unreached: 13
// spin: 6.5.2
// Counting past the largest value of a narrow variable starts again at the smallest.
unsigned u : 2; byte y = 250; bit b;

active proctype P() {
  do
  :: u++; y = y + 2; b++
  od
}
