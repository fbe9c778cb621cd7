// expect: rejected
// message: label
// spin: 6.5.2
// Likewise for atomic.
active proctype P() { byte x; goto here; atomic { here: x = 1; x = 2 } }
