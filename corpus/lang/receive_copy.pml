// expect: holds
// states: 12
// transitions: 12
// unreached: none
// spin: 6.5.2
// ?<...> and ??<...> copy the values and leave the message.
chan q = [3] of { byte, byte };
byte a, b;

active proctype P() {
  q!1, 2; q!3, 4;
  q?<a, b>; assert(a == 1 && b == 2 && len(q) == 2);
  q??<3, b>; assert(b == 4 && len(q) == 2);
  q?1, b; assert(b == 2 && len(q) == 1);
  q?<_, a>; assert(a == 4)
}
