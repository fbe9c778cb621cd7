// expect: holds
// states: 22
// transitions: 22
// unreached: none
// spin: 6.5.2
// for over a channel of structures takes each message and puts it back.
typedef M { byte a; byte b };
chan q = [3] of { M };
byte sum;

active proctype P() {
  M m;
  m.a = 1; m.b = 2; q!m;
  m.a = 3; q!m;
  for (m in q) { sum = sum + m.a * 10 + m.b };
  assert(sum == 44 && len(q) == 2);
  q?m;
  assert(m.a == 1)
}
