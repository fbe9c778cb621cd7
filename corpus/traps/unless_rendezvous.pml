// expect: holds
// states: 24
// transitions: 28
// unreached: none
// spin: 6.5.2
// A rendezvous as escape is offered at every step of the main sequence.
chan stop = [0] of { bit };
byte x;

active proctype P() { { x = 1; x = 2; x = 3; false } unless { stop?1; x = x + 10 } }
active proctype Q() { stop!1 }
