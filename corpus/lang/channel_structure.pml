// expect: holds
// states: 9
// transitions: 9
// unreached: none
// spin: 6.5.2
// A whole structure as a message.
typedef M { byte kind; bool flag; short value };
chan q = [2] of { M, byte };

active proctype S() {
  M m;
  m.kind = 2; m.flag = 1; m.value = -5;
  q!m, 9
}
active proctype R() {
  M m; byte n;
  q?m, n;
  assert(m.kind == 2 && m.flag && m.value == -5 && n == 9)
}
