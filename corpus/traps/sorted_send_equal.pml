// expect: holds
// states: 15
// transitions: 25
// unreached: none
// spin: 6.5.2
// A message equal to others goes behind them or before: indistinguishable, one state.
chan q = [3] of { byte };

active [3] proctype P() { q!!_pid % 2 }
