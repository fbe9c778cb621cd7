// expect: holds
// states: 97
// transitions: 164
// unreached: none
// spin: 6.5.2
// Messages come out in the order they went in; a full channel blocks the sender.
chan q = [2] of { byte };

active proctype S() { byte i; for (i : 1 .. 4) { q!i } }
active proctype R() {
  byte v, last;
  do
  :: q?v -> assert(v == last + 1); last = v
  :: last == 4 -> break
  od
}
