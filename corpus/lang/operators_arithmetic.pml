// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// All arithmetic and bit operators on known values.
active proctype P() {
  int x = 13, y = 5;
  assert(x + y == 18 && x - y == 8 && x * y == 65);
  assert(x / y == 2 && x % y == 3);
  assert((x & y) == 5 && (x | y) == 13 && (x ^ y) == 8);
  assert((x << 2) == 52 && (x >> 2) == 3);
  assert(~x == -14 && -x == 0 - 13);
  assert((~0 & 255) == 255)
}
