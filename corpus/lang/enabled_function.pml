// expect: holds
// states: 14
// transitions: 18
// unreached: none
// spin: 6.5.2
// enabled(p) tells whether process p could move.
byte x;

active proctype P() { x == 2 -> x = 3 }
active proctype Q() {
  assert(!enabled(0));
  x = 1;
  assert(!enabled(0));
  x = 2;
  assert(x == 3 || enabled(0) || _nr_pr < 2)
}
