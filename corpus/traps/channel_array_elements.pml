// expect: holds
// states: 25
// transitions: 41
// unreached: none
// spin: 6.5.2
// Elements of a channel array are different channels, also as parameters.
chan q[2] = [1] of { byte };

proctype W(chan c; byte v) { c!v }

init {
  byte a;
  atomic { run W(q[0], 1); run W(q[1], 2) };
  q[1]?a; assert(a == 2);
  q[0]?a; assert(a == 1)
}
