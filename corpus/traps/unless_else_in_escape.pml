// expect: holds
// states: 5
// transitions: 5
// unreached: 10
// spin: 6.5.2
// An escape that is an if with else is always enabled.
byte x;

active proctype P() {
  { x = 1; x = 2 } unless { if :: x == 1 -> x = 7 :: else -> x = 9 fi };
  assert(x == 9)
}
