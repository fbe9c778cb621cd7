// expect: rejected
// message: run
// spin: 6.5.2
// At most one run in an expression.
proctype P() { skip }
init { (run P() && run P()) }
