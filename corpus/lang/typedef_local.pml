// expect: holds
// states: 31
// transitions: 51
// unreached: none
// spin: 6.5.2
// A structure as a local variable, one per process.
typedef Pair { short left; unsigned right : 2 };
short sum;

active [2] proctype P() {
  Pair p;
  p.left = _pid + 1;
  p.right = 5;
  atomic { sum = sum + p.left + p.right };
  assert(sum <= 5)
}
