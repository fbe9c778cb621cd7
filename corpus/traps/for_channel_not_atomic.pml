// expect: holds
// states: 199
// transitions: 300
// unreached: none
// spin: 6.5.2
// for over a channel is not atomic: another process sees the messages move.
typedef M { byte a };
chan q = [3] of { M };
byte sum;

active proctype P() {
  M m;
  m.a = 1; q!m; m.a = 2; q!m;
  for (m in q) { sum = sum + m.a }
}
active proctype Q() { M m; len(q) == 2 -> q?m; m.a = 3; q!m }
