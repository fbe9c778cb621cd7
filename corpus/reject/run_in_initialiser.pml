// expect: rejected
// message: run
// spin: 6.5.2
// Nor in the initial value of a local one.
proctype P() { skip }
init { byte x = run P(); skip }
