// expect: holds
// states: 17
// transitions: 17
// unreached: none
// spin: 6.5.2
// !! inserts before the first larger message, comparing fields from the left.
chan q = [5] of { byte, byte };
byte a, b, last;

active proctype P() {
  q!!3, 1; q!!1, 5; q!!2, 2; q!!1, 4; q!!3, 0;
  q?a, b; assert(a == 1 && b == 4);
  q?a, b; assert(a == 1 && b == 5);
  q?a, b; assert(a == 2 && b == 2);
  q?a, b; assert(a == 3 && b == 0);
  q?a, b; assert(a == 3 && b == 1)
}
