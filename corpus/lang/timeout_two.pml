// expect: holds
// states: 15
// transitions: 16
// unreached: none
// spin: 6.5.2
// Two processes may both see a timeout; one of them goes first.
byte x;

active [2] proctype P() {
  timeout -> x++;
  assert(x <= 2)
}
