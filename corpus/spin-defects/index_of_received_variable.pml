// expect: violated invalid end state
// states: 5
// transitions: 5
// spin-differs: SPIN takes the receive back on the channel that the index names afterwards; it finds fewer states
// The receive assigns the variable that indexes the channel.
byte g;
chan q[2] = [2] of { byte };

active proctype P() { q[0]!1 }
active [2] proctype R() { q[g % 2]?g }
