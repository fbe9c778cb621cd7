// expect: rejected
// message: mtype
// spin: 6.5.2
// So are lists of symbolic names.
active proctype P() { mtype = { a, b }; skip }
