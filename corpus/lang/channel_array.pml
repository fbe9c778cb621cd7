// expect: holds
// states: 54
// transitions: 108
// unreached: none
// spin: 6.5.2
// An array of channels, each with its own contents.
chan q[3] = [1] of { byte };

active [3] proctype P() {
  byte v;
  q[_pid]!_pid + 1;
  q[(_pid + 1) % 3]?v;
  assert(v == (_pid + 1) % 3 + 1)
}
