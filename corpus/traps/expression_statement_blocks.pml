// expect: holds
// states: 11
// transitions: 12
// unreached: none
// spin: 6.5.2
// An expression blocks while it is 0, whatever its type; negative values are true.
short s = -1; byte z;

active proctype P() { s; s + 2; (z + s) -> z = 1; s + z }
active proctype Q() { z == 1 -> s = 5 }
