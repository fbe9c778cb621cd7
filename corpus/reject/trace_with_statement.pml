// expect: rejected
// message: trace
// spin: 6.5.2
// A trace assertion consists of events only.
chan q = [1] of { byte };
byte x;
active proctype P() { q!1 }
trace { x = 1; q!1 }
