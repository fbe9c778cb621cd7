// expect: rejected
// message: process
// spin: 6.5.2
// Declarations only: nothing can run.
byte x;
proctype P() { x = 1 }
