// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Subtraction, division, remainder and shifts group from the left.
active proctype P() {
  assert(10 - 4 - 3 == 3);
  assert(100 / 10 / 5 == 2);
  assert(100 % 30 % 7 == 3);
  assert(1 << 2 << 1 == 8);
  assert(64 >> 2 >> 1 == 8);
  assert(20 - 4 + 2 == 18)
}
