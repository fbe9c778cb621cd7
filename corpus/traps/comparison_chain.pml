// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// 3 > 2 > 1 compares the result of the first with 1.
active proctype P() { assert((3 > 2 > 1) == 0); assert((1 < 3 < 2) == 1) }
