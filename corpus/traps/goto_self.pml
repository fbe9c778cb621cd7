// expect: violated invalid end state
// states: 5
// transitions: 8
// unreached: 13
// spin: 6.5.2
// A loop of nothing but a jump and a condition.
byte x;

active proctype P() {
again:
  x < 3;
  goto again
}
active proctype Q() { x = 1; x = 2; x = 3 }
