// expect: holds
// states: 16
// transitions: 16
// unreached: none
// spin: 6.5.2
// Conditional parts, undefinition, continuation lines and nested macros.
#define N 3
#define LIMIT (N + \
               1)
#ifdef N
#if N > 2 && !defined(M)
#define START 1
#elif N == 1
#define START 5
#else
#define START 9
#endif
#endif
#undef N
#ifndef N
byte x = START;
#else
broken text
#endif
active proctype P() { do :: x < 7 -> x++ :: else -> break od; assert(x == 7) }
#define NEVER used
