// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// An event of a trace may name fewer fields than the channel has: the first ones count.
chan q = [2] of { byte, byte };
active proctype P() { q!1,7; q!1,8 }
trace { q!1; q!1 }
