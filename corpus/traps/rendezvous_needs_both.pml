// expect: violated invalid end state
// states: 1
// transitions: 1
// unreached: 9
// spin: 6.5.2
// A rendezvous within one process never happens.
chan q = [0] of { byte };

active proctype P() { if :: q!1 :: q?1 fi }
