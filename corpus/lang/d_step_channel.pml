// expect: holds
// states: 14
// transitions: 18
// unreached: none
// spin: 6.5.2
// Sends and receives inside a d_step, when they cannot block.
chan q = [3] of { byte };
byte first, second;

active proctype P() {
  d_step { nempty(q) || 1; q!1; q!2; q!3; q?first; q!4 };
  assert(first == 1);
  q?first;
  assert(first == 2)
}
active proctype Q() { q?eval(3) -> q?second; assert(second == 4) }
