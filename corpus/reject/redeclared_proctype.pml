// expect: rejected
// message: P
// spin: 6.5.2
// Two proctypes of one name.
active proctype P() { skip }
active proctype P() { skip; skip }
