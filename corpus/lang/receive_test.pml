// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// ?[...] and ??[...] test without taking.
chan q = [3] of { byte, byte };
byte x = 3;

active proctype P() {
  assert(!(q?[_, _]));
  q!1, 2; q!3, 4;
  assert(q?[1, _] && !(q?[3, _]));
  assert(q??[3, 4] && q??[eval(x), _] && !(q??[2, _]));
  (q?[1, 2]) -> x = 1;
  assert(len(q) == 2)
}
