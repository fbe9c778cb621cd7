// expect: violated invalid end state
// states: 2
// transitions: 2
// unreached: 9
// spin: 6.5.2
// A sender without a receiver.
chan q = [1] of { byte };

active proctype P() { q!1; q!2 }
