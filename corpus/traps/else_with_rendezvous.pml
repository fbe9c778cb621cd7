// expect: holds
// states: 9
// transitions: 9
// unreached: 15 19
// spin: 6.5.2
// else beside a rendezvous send: taken only when no receiver is waiting.
chan q = [0] of { byte };
byte missed;

active proctype S() {
  byte i;
  for (i : 1 .. 2) {
    if
    :: q!i
    :: else -> missed++
    fi
  }
}
active proctype R() { end: do :: q?_ od }
