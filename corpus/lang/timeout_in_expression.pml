// expect: holds
// states: 7
// transitions: 7
// unreached: 12
// spin: 6.5.2
// timeout can be part of a larger condition.
byte x;

active proctype P() {
  if
  :: timeout && x == 2 -> x = 3
  :: timeout && x == 1 -> x = 4
  fi
}
active proctype Q() { x++; x++ }
