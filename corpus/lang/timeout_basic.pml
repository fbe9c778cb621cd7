// expect: holds
// states: 20
// transitions: 27
// unreached: none
// spin: 6.5.2
// timeout is true when nothing else in the whole system can move.
chan q = [1] of { byte };
byte lost;

active proctype S() {
  byte n;
  do
  :: n < 2 -> n++; if :: q!n :: skip fi
  :: else -> break
  od
}
active proctype R() {
  do
  :: q?_
  :: timeout -> lost++; break
  od;
  assert(lost == 1)
}
