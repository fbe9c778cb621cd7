// expect: holds
// states: 11
// transitions: 13
// unreached: none
// spin: 6.5.2
// Several fields, and the other way to write a message with a type first.
mtype = { data, ack };
chan q = [2] of { mtype, byte, bool, short };

active proctype S() { q!data(7, true, -300); q!ack, 1, 0, 5 }
active proctype R() {
  byte b; bool f; short s;
  q?data(b, f, s);
  assert(b == 7 && f && s == -300);
  q?ack, b, f, s;
  assert(b == 1 && !f && s == 5)
}
