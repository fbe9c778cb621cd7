// expect: holds
// states: 15
// transitions: 19
// unreached: none
// spin: 6.5.2
// eval matches the value a variable or an expression has now.
chan q = [2] of { byte };
byte want = 1;

active proctype S() { q!1; q!2; q!4 }
active proctype R() {
  q?eval(want);
  want++;
  q?eval(want);
  q?eval(want * 2);
  assert(empty(q))
}
