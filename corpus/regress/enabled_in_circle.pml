// expect: violated enabled depends on itself
// spin-differs: SPIN's verifier recurses without end and crashes
// Whether each process is enabled depends on whether the other is: an error, not a stack overflow.
active proctype A() { enabled(1) }
active proctype B() { enabled(0) }
