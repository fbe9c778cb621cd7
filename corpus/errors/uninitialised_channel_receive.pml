// expect: violated ref to uninitialized chan name
// spin: 6.5.2
// Receiving from one.
active proctype P() { chan c; byte v; c?v }
