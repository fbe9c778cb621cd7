// expect: violated invalid end state
// states: 4
// transitions: 5
// spin-differs: SPIN runs a d_step that begins with printf, printm or assert between the two halves of a rendezvous; it finds more states
// No process receives, so no process can send.
mtype = { red };
chan q = [0] of { byte };

active [2] proctype P() { d_step { printm(red) } }
active proctype S() { q!0; q?0 }
