// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Intermediate results are 32-bit, whatever the types of the operands.
byte y = 200; short s = 30000;

active proctype P() {
  int i;
  assert(y + y == 400);
  assert(s * 2 == 60000);
  i = y * y * 100;
  assert(i == 4000000);
  y = (y + y) / 4;
  assert(y == 100)
}
