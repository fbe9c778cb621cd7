// expect: rejected
// message: expected
// spin: 6.5.2
// A body that is not closed.
active proctype P() { byte x; x = 1
