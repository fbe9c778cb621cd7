// expect: rejected
// message: d_step
// spin: 6.5.2
// A jump out of a d_step.
active proctype P() { byte x; d_step { x = 1; goto out; x = 2 }; x = 3; out: skip }
