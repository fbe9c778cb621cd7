// expect: rejected
// message: here
// spin: 6.5.2
// A label twice in one proctype.
active proctype P() { byte x; here: x = 1; here: x = 2 }
