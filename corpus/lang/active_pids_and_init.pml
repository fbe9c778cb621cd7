// expect: holds
// states: 13
// transitions: 18
// unreached: none
// spin: 6.5.2
// Pids follow the text: an init between two active proctypes gets the pid in between.
byte p = 9, i = 9, q = 9;

active proctype P() { p = _pid }
init { i = _pid }
active proctype Q() {
  q = _pid;
  (p != 9 && i != 9);
  assert(p == 0 && i == 1 && q == 2)
}
