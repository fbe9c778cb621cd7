// expect: rejected
// message: f
// spin: 6.5.2
// An inline that calls itself.
inline f(x) { f(x) }
active proctype P() { byte y; f(y) }
