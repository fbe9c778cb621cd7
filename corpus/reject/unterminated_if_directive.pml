// expect: rejected
// message: #if
// spin: 6.5.2
// A conditional part without its end.
#ifdef X
active proctype P() { skip }
