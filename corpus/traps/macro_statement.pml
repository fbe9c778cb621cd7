// expect: holds
// states: 17
// transitions: 21
// unreached: none
// spin: 6.5.2
// Macros that stand for statements and guards.
#define mutex (inside < 1)
#define enter atomic { mutex -> inside++ }
#define leave inside--
byte inside;

active [2] proctype P() { enter; assert(inside == 1); leave }
