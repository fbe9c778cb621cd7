// expect: rejected
// message: break
// spin: 6.5.2
// break without a loop.
active proctype P() { byte x; x = 1; break }
