// expect: holds
// states: 20
// transitions: 26
// unreached: none
// spin: 6.5.2
// ?? blocks when nothing matches.
chan q = [2] of { byte };

active proctype P() { q!1; q!2; q??3 }
active proctype Q() { byte v; if :: q?v -> q!3 :: q??2 -> q!3 fi }
