// expect: holds
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// 10 - 4 - 3 is 3, not 9.
active proctype P() {
  int x = 10;
  x = x - 4 - 3;
  assert(x == 3);
  x = 2 - 3 + 4;
  assert(x == 3)
}
