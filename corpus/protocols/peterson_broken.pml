// expect: violated assertion violated
// states: 98
// transitions: 187
// unreached: 20
// spin: 6.5.2
// Peterson's algorithm with the first two assignments exchanged: mutual exclusion is lost.
bool want[2]; byte turn, inside;

active [2] proctype P() {
  byte other = 1 - _pid;
again:
  turn = other;
  want[_pid] = true;
  !want[other] || turn == _pid;
  inside++;
  assert(inside == 1);
  inside--;
  want[_pid] = false;
  goto again
}
