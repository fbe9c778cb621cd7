// expect: holds
// states: 8
// transitions: 9
// unreached: none
// spin: 6.5.2
// `provided` is tested before a d_step, not inside it.
byte x; bool go = true;

active proctype P() provided (go) { d_step { go = false; x = 1; x = 2 }; x = 3 }
active proctype Q() { x == 2; go = true }
