// expect: holds
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// assert takes any expression, with or without brackets.
byte x = 2;
chan q = [1] of { byte };

active proctype P() {
  assert x == 2;
  assert (x);
  assert(empty(q));
  assert(x > 1 -> 1 : 0)
}
