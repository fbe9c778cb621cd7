// expect: holds
// states: 19
// transitions: 25
// unreached: none
// spin: 6.5.2
// A constant in a receive must match; other messages block the head of the queue.
chan q = [3] of { byte, byte };
byte v;

active proctype S() { q!1, 5; q!2, 6; q!1, 7 }
active proctype R() {
  do
  :: q?1, v -> assert(v == 5 || v == 7)
  :: q?2, v -> assert(v == 6)
  :: v == 7 -> break
  od
}
