// expect: rejected
// message: x
// spin: 6.5.2
// Twice in one process.
active proctype P() { byte x; short x; x = 1 }
