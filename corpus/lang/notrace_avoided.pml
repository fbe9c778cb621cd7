// expect: holds
// states: 5
// transitions: 5
// unreached: 10
// spin: 6.5.2
// notrace describes what must not happen in full.
chan q = [3] of { byte };

active proctype P() { q!1; q!1; q!3 }
notrace { q!1; q!2 }
