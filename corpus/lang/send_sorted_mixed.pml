// expect: holds
// states: 28
// transitions: 33
// unreached: none
// spin: 6.5.2
// Sorted and plain sends on one channel from two processes.
chan q = [4] of { byte };

active proctype A() { q!3; q!!1 }
active proctype B() { q!2; q!!2 }
active proctype C() { byte v; (len(q) == 4); do :: q?v :: empty(q) -> break od }
