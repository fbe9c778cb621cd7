// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// printf inside a d_step is harmless.
byte x;

active proctype P() {
  d_step { x = 1; printf("x %d\n", x); x = 2; printm(x) };
  assert(x == 2)
}
