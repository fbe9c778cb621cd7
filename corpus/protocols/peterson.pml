// expect: holds
// states: 38
// transitions: 65
// unreached: 20
// spin: 6.5.2
// Peterson's mutual exclusion for two.
bool want[2]; byte turn, inside;

active [2] proctype P() {
  byte other = 1 - _pid;
again:
  want[_pid] = true;
  turn = other;
  !want[other] || turn == _pid;
  inside++;
  assert(inside == 1);
  inside--;
  want[_pid] = false;
  goto again
}
