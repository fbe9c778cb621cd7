// expect: rejected
// message: x
// spin: 6.5.2
// SPIN 6.5.2 does not let a local variable hide a global one.
byte x;
active proctype P() { short x; x = 1 }
