// expect: holds
// states: 44
// transitions: 76
// unreached: 21
// spin: 6.5.2
// Arrays of rendezvous channels with computed indices.
chan q[2] = [0] of { byte };
byte i;

active proctype S() {
  do
  :: i < 4 -> q[i % 2]!i; i++
  :: else -> break
  od
}
active [2] proctype R() {
  byte v;
end: do
  :: q[_pid - 1]?v -> assert(v % 2 == _pid - 1)
  od
}
