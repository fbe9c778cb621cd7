// expect: rejected
// message: expected
// spin: 6.5.2
// An expression without its end.
active proctype P() { byte x; x = 1 + ; x = 2 }
