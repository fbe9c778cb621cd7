// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// A channel variable without a channel takes one by assignment.
chan a = [1] of { byte };
chan b = [1] of { byte };

active proctype P() {
  chan c;
  byte v;
  c = a; c!1;
  c = b; c!2;
  a?v; assert(v == 1);
  c?v; assert(v == 2)
}
