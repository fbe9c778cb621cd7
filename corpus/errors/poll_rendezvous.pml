// expect: violated invalid end state
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// Asking a rendezvous channel for its length.
chan q = [0] of { byte };
byte n;

active proctype P() { if :: empty(q) -> n = 1 :: q?n fi }
active proctype Q() { q!2 }
