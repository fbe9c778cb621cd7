// expect: rejected
// message: expected
// spin: 6.5.2
// A choice that is not closed.
active proctype P() { byte x; if :: x == 1 -> skip }
