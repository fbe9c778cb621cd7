#include "missing.h"
#defin X 1
#if X +
#endif
#ifdef
#endif
#else
#define f(a, a) a
#error "unfinished"
#define N 1
#define N 2
#if 1
init { skip }
