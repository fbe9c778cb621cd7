// expect: holds
// states: 14
// transitions: 14
// unreached: none
// spin: 6.5.2
// (c -> a : b) evaluates one branch only and nests.
byte x; byte d;

active proctype P() {
  do
  :: x < 4 -> x = (x == 2 -> 4 : x + 1)
  :: else -> break
  od;
  assert(x == 4);
  x = (d == 0 -> 1 : 7 / d);
  assert(x == 1);
  x = (x > 0 -> (x > 1 -> 9 : 8) : 7);
  assert(x == 8)
}
