// expect: holds
// states: 3
// transitions: 3
// spin-differs: SPIN generates C without brackets around a poll, `0>=not_RV(q) && (…)`; it finds 1 state and an invalid end state
// A test for a message inside a comparison, in a model with a rendezvous channel.
chan link = [0] of { byte };
chan q = [2] of { short };

active proctype P() { (0 >= (q?[0])) }
