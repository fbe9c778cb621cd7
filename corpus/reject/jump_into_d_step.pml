// expect: rejected
// message: d_step
// spin: 6.5.2
// A jump into a d_step.
active proctype P() { byte x; goto in; d_step { x = 1; in: x = 2 } }
