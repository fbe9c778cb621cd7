// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// Whether a rendezvous matches depends on the receiver's variables at that moment.
chan q = [0] of { byte, byte };
byte n;

active proctype S() { q!n, 5; q!n, 6 }
active proctype R() { byte w; q?eval(w), 5; w++; n = 1; q?eval(w), 6 }
