// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Inlines call inlines, each with its own scope.
byte x;

inline add(v, n) { v = v + n }
inline addTwice(v, n) { byte k = n; add(v, k); add(v, k) }

active proctype P() {
  addTwice(x, 3);
  atomic { addTwice(x, 1) };
  d_step { add(x, 1); add(x, 1) };
  assert(x == 10)
}
