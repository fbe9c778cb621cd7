// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Exclusive use of a channel, as declared.
chan q = [1] of { byte };

active proctype S() { xs q; q!1; q!2 }
active proctype R() { xr q; byte v; q?v; q?v; assert(v == 2) }
