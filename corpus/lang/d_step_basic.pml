// expect: violated assertion violated
// states: 26
// transitions: 41
// unreached: none
// spin: 6.5.2
// A d_step is one step, taken or not by its first statement.
byte x, y;

active [2] proctype P() {
  d_step { x < 3; x++; y = x * 2; y++ };
  assert(y == 2 * x + 1);
  y == 5 -> x = 0
}
