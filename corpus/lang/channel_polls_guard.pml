// expect: holds
// states: 32
// transitions: 43
// unreached: none
// spin: 6.5.2
// Polls as guards, alone and under && and ||.
chan q = [1] of { byte };
byte n;

active proctype S() { do :: nfull(q) && n < 3 -> q!n; n++ :: n == 3 -> break od }
active proctype R() {
  do
  :: nempty(q) || (n == 3) -> if :: q?_ :: empty(q) && (n == 3) -> break fi
  od
}
