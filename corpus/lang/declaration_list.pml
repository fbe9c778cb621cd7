// expect: holds
// states: 3
// transitions: 3
// unreached: none
// spin: 6.5.2
// Several variables in one declaration, each with its own value and length.
byte a = 1, b, c[2], d = 4;
unsigned e : 2 = 3, f : 6 = 40;

active proctype P() {
  int g = a + d, h = -1;
  assert(g == 5 && h == -1 && b == 0 && c[1] == 0 && e == 3 && f == 40)
}
