// expect: holds
// states: 9
// transitions: 9
// unreached: none
// spin: 6.5.2
// A structure with an array inside, as a message.
typedef M { byte a[3]; bool last };
chan q = [1] of { M };

active proctype P() {
  M m, n;
  m.a[0] = 1; m.a[1] = 2; m.a[2] = 3; m.last = true;
  q!m;
  q?n;
  assert(n.a[0] == 1 && n.a[1] == 2 && n.a[2] == 3 && n.last)
}
