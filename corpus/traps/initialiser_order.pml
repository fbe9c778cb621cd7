// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Initial values are computed in the order of the text when the place is reached.
byte g = 3;

active proctype P() {
  byte a = 2;
  a = 4;
  byte b = a;
  assert(b == 4);
  g = 7;
  byte c = g;
  assert(c == 7)
}
