// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// _nr_pr counts processes that have ended but cannot be removed yet.
byte phase;

active proctype First() { phase = 1 }
active proctype Second() {
  phase == 1;
  phase = 2;
  assert(_nr_pr == 2)
}
