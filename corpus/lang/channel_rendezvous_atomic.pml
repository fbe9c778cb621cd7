// expect: holds
// states: 16
// transitions: 19
// unreached: none
// spin: 6.5.2
// In a rendezvous control goes to the receiver, and stays with it if it is atomic there.
chan q = [0] of { byte };
byte log;

active proctype S() {
  atomic { log = 1; q!5; log = log * 10 + 2 }
}
active proctype R() {
  byte v;
  atomic { q?v; log = log * 10 + 3; log = log * 2 }
}
active proctype O() { log > 1 -> log++ }
