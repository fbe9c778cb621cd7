// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// !2 is 0.
byte x = 2;

active proctype P() {
  assert(!x == 0);
  assert(!(!x) == 1);
  assert(!0 == 1)
}
