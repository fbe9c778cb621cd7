// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// Channel variables can be compared; the one without a channel equals 0.
chan a = [1] of { byte };

active proctype P() {
  chan c;
  assert(c == 0);
  c = a;
  assert(c == a && c != 0)
}
