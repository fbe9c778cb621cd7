#define f(x) x
init { f(1 }
