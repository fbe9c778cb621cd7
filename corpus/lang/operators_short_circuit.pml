// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// The second operand of && and || is not evaluated when the first decides: no error here.
byte zero;

active proctype P() {
  byte a[2];
  assert(zero == 0 || 5 / zero == 1);
  assert(!(zero != 0 && 5 % zero == 1));
  zero = 5;
  assert(!(zero < 2 && a[zero] == 0));
  assert(zero >= 2 || a[zero] == 0)
}
