// expect: holds
// states: 13
// transitions: 19
// unreached: none
// spin: 6.5.2
// Parameters of an active proctype are zero.
active [2] proctype P(byte a; chan c; bool b) {
  assert(a == 0 && !b && c == 0);
  a = _pid + 1
}
