// expect: holds
// states: 25
// transitions: 25
// unreached: none
// spin: 6.5.2
// The condition of `provided` may speak of the process itself.
byte turn;

active [3] proctype P() provided (turn == _pid) {
  byte n;
  do
  :: n < 2 -> n++; turn = (turn + 1) % 3
  :: else -> turn = (turn + 1) % 3; break
  od
}
