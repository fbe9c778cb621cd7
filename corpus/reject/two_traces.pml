// expect: rejected
// message: trace
// spin: 6.5.2
// One trace assertion at most.
chan q = [1] of { byte };
active proctype P() { q!1 }
trace { q!1 }
trace { q?1 }
