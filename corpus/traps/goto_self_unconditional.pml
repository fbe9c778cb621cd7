// expect: holds
// states: 4
// transitions: 8
// spin-differs: SPIN's verifier refuses an unconditional self-loop ("has unconditional self-loop"), which is a program like any other
// A loop that does nothing for ever; an optimiser must not follow it for ever.
byte x;

active proctype P() {
again:
  skip;
  goto again
}
active proctype Q() { x = 1; x = 2 }
