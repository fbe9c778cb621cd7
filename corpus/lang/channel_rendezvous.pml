// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// A rendezvous is one step of two processes.
chan q = [0] of { byte, bool };
byte got;

active proctype S() { q!3, true; q!4, false }
active proctype R() {
  bool b;
  q?got, b;
  assert(got == 3 && b);
  q?got, b;
  assert(got == 4 && !b)
}
