// expect: holds
// states: 13
// transitions: 13
// unreached: none
// spin: 6.5.2
// ?? takes the first message that matches, wherever it is.
chan q = [4] of { byte, byte };
byte v;

active proctype P() {
  q!1, 10; q!2, 20; q!3, 30; q!2, 40;
  q??2, v; assert(v == 20);
  q??2, v; assert(v == 40);
  q?v, _; assert(v == 1);
  assert(len(q) == 1)
}
