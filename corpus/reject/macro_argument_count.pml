// expect: rejected
// message: LARGER
// spin: 6.5.2
// A macro with too few arguments.
#define LARGER(a, b) ((a) > (b))
active proctype P() { assert(LARGER(1)) }
