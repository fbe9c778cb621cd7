// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// len, empty, full, nempty and nfull through the life of a channel.
chan q = [2] of { byte };

active proctype P() {
  assert(len(q) == 0 && empty(q) && nfull(q));
  q!1;
  assert(len(q) == 1 && nempty(q) && nfull(q));
  q!2;
  assert(len(q) == 2 && full(q) && nempty(q));
  q?_; q?_;
  assert(empty(q))
}
