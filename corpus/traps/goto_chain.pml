// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// Jumps to jumps.
byte x;

active proctype P() {
  goto a;
c: x++;
  goto d;
a: goto b;
b: goto c;
d: x++;
  assert(x == 2)
}
