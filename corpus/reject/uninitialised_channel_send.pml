// expect: rejected
// message: c
// spin: 6.5.2
// SPIN counts the fields of a local channel variable without a channel as none.
active proctype P() { chan c; c!1 }
