// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// ?? takes the first match only, not any.
chan q = [3] of { byte, byte };
byte v;

active proctype P() { q!1, 1; q!1, 2; q!1, 3; q??1, v; assert(v == 1) }
