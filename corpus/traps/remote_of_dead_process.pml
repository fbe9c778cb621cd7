// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// A process that has ended but is still there can be looked at: it is at its end.
active proctype P() {
  byte n;
  n = 3;
l: n = 4
}
active proctype Q() {
  P[0]:n == 4;
  assert(!P[0]@l)
}
