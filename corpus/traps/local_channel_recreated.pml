// expect: holds
// states: 15
// transitions: 16
// unreached: none
// spin: 6.5.2
// Each new process has a new, empty channel, also after the old one has gone.
byte n;

proctype P() {
  chan c = [2] of { byte };
  assert(empty(c));
  c!1;
  n++
}

init {
  run P();
  n == 1 && _nr_pr == 1;
  run P();
  n == 2
}
