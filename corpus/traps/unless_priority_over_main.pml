// expect: holds
// states: 10
// transitions: 10
// unreached: 12
// spin: 6.5.2
// When both are enabled, only the escape is taken.
byte x;

active proctype P() {
  do
  :: x < 5 -> x++
  :: x == 4 -> assert(false)
  od unless { x >= 3 };
  assert(x == 3)
}
