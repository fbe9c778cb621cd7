// expect: rejected
// message: c
// spin: 6.5.2
// A field the structure does not have.
typedef T { byte a; byte b };
T t;
active proctype P() { t.c = 1 }
