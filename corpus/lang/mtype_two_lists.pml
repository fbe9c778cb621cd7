// expect: holds
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// A second list of names continues the numbers of the first.
mtype = { a, b };
mtype = { c, d, e };

active proctype P() {
  mtype x = c;
  printf("%d %d %d %d %d\n", a, b, c, d, e);
  assert(a != b && b != c && c != d && d != e);
  x = a;
  assert(x == a)
}
