// expect: holds
// states: 40
// transitions: 58
// unreached: none
// spin: 6.5.2
// Receiving into an array element chosen by another variable.
chan q = [0] of { byte };
byte a[3];

active proctype S() { byte i; for (i : 1 .. 3) { q!i } }
active proctype R() { byte k; do :: k < 3 -> q?a[k]; k++ :: else -> break od; assert(a[2] == 3) }
