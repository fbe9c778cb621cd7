// expect: holds
// states: 22
// transitions: 27
// unreached: none
// spin: 6.5.2
// A send to a full channel waits; nothing is lost.
chan q = [1] of { byte };
byte n;

active proctype S() { q!1; q!2; q!3 }
active proctype R() { do :: n < 3 -> q?eval(n + 1); n++ :: else -> break od; assert(empty(q)) }
