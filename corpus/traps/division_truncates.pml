// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// Division and remainder truncate toward zero.
int a = -7, b = 2;

active proctype P() {
  assert(a / b == -3 && a % b == -1);
  assert(-a / -b == -3 && -a % -b == 1);
  assert(a / -b == 3 && a % -b == -1)
}
