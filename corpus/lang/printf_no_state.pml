// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// printf and printm print, and change nothing.
mtype = { on, off };
mtype m = on;
byte x;

active proctype P() {
  printf("x is %d, m is %e, %x %o %u %c\n", x, m, 10, 8, 3, 65);
  printm(m);
  printm(off);
  printf("no values \t \\ \"quoted\"\n");
  x = 1
}
