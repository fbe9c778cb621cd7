// expect: rejected
// message: f
// spin: 6.5.2
// An inline called with too few arguments.
inline f(x, y) { x = y }
active proctype P() { byte z; f(z) }
