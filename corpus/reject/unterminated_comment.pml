// expect: rejected
// message: comment
// spin: 6.5.2
// A comment without an end.
active proctype P() { skip }
/* never closed
