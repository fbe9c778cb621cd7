// expect: holds
// states: 21
// transitions: 30
// unreached: none
// spin: 6.5.2
// P[e]:x reads a local variable of another process.
byte done;

active [2] proctype P() {
  byte n;
  n = _pid + 1;
  n = n * 2;
  done++
}
active proctype Q() {
  done == 2;
  assert(P[0]:n == 2 && P[1]:n == 4)
}
