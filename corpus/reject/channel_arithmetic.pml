// expect: rejected
// message: chan
// spin: 6.5.2
// A channel is not a number to count with.
chan q = [1] of { byte };
active proctype P() { q++ }
