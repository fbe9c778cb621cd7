// expect: holds
// states: 13
// transitions: 19
// spin-differs: SPIN takes a receive back with the value the variable holds, so that a value cut on the way in comes back changed; it finds more states
// A byte received into a bit.
bit g;
chan q = [2] of { byte };

active [2] proctype P() { q!2; q?g }
