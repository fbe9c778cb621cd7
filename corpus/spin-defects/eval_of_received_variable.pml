// expect: violated invalid end state
// states: 42
// transitions: 62
// spin-differs: SPIN takes eval(x) back with the value x has after the receive; its search goes on with a changed message
// The same variable in eval and as a target.
chan q = [2] of { byte, byte };
byte n;

active proctype P() { byte l; do :: q?eval(l), l :: n == 2 -> break od }
active proctype Q() { do :: n < 2 -> q!0, 1; n++; q!1, 0 :: else -> break od }
