// expect: rejected
// message: a
// spin: 6.5.2
// An array used as if it were a scalar.
byte a[3];
active proctype P() { a = 1 }
