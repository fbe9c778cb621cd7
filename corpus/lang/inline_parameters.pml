// expect: holds
// states: 12
// transitions: 12
// unreached: none
// spin: 6.5.2
// The parameters of an inline are text: assigning to one assigns to the argument.
byte x, y = 5;

inline swap(a, b) {
  byte t;
  t = a; a = b; b = t
}

active proctype P() {
  swap(x, y);
  assert(x == 5 && y == 0);
  swap(y, x);
  assert(x == 0 && y == 5)
}
