// expect: holds
// states: 17
// transitions: 17
// unreached: none
// spin: 6.5.2
// for over an array gives the indices, one after the other.
byte a[4] = { 3, 1, 4, 1 };
short sum;

active proctype P() {
  byte i;
  for (i in a) { sum = sum + a[i] * (i + 1) };
  assert(sum == 3 + 2 + 12 + 4)
}
