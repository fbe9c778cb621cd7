// expect: rejected
// message: unsigned
// spin: 6.5.2
// unsigned needs its number of bits.
unsigned u;
active proctype P() { u = 1 }
