// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// A line may end with an operator; the expression continues.
byte x = 3;

active proctype P() {
  assert(x == 3 &&
         x < 4);
  x = x +
      1;
  assert(x == 4)
}
