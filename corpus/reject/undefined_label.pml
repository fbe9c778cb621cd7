// expect: rejected
// message: there
// spin: 6.5.2
// A jump to nowhere.
active proctype P() { goto there; skip }
