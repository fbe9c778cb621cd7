// expect: holds
// states: 8
// transitions: 10
// unreached: 10 11 12 17
// spin: 6.5.2
// A jump from one atomic sequence into another keeps control.
byte x;

active proctype P() {
  atomic { x = 1; goto there; x = 9 };
  x = 8;
  atomic { x = 7; x = 6; there: x = 2; x = 3 };
  assert(x == 3)
}
active proctype Q() {
  if
  :: x != 0 && x != 3 -> assert(false)
  :: x == 3
  fi
}
