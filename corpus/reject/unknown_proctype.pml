// expect: rejected
// message: Q
// spin: 6.5.2
// Running what does not exist.
init { run Q() }
