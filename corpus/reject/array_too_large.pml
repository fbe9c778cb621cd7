// expect: rejected
// message: too large
// spin-differs: SPIN goes on to a verifier that does not compile
// No state could hold this.
typedef T { byte b[65536] }
T a[65536];
active proctype P() { a[3].b[2] = 1 }
