// expect: holds
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// Named sets count on their own, so equal numbers stand for different names.
mtype = { ready, busy };
mtype:fruit = { apple, pear, fig };
mtype:size = { small, large };
mtype:fruit f = pear;
mtype:size s;
mtype m = busy;
chan q = [1] of { mtype:fruit, mtype:size };

active proctype P() {
  q!fig, large;
  q?f, s;
  assert(f == fig && s == large && m == busy);
  m = ready
}
