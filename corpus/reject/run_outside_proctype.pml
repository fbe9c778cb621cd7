// expect: rejected
// message: run
// spin: 6.5.2
// run in the initial value of a global variable.
byte x = run P();
proctype P() { skip }
init { skip }
