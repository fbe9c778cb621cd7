// expect: holds
// states: 38
// transitions: 53
// unreached: none
// spin: 6.5.2
// Processes can only be removed in the reverse order of their creation.
byte n;

proctype Child(byte wait) {
  n == wait;
  n++
}

init {
  run Child(1);
  run Child(0);
  run Child(2);
  n == 3;
  _nr_pr == 1;
  assert(_pid == 0)
}
