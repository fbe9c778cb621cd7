// expect: holds
// states: 9
// transitions: 10
// unreached: none
// spin: 6.5.2
// `provided` becomes false inside atomic: control is lost.
byte x; bool go = true;

active proctype P() provided (go) { atomic { x = 1; go = false; x = 2; x = 3 } }
active proctype Q() { x == 1 -> x = 5; go = true }
