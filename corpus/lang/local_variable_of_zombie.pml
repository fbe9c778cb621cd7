// expect: holds
// states: 13
// transitions: 20
// unreached: none
// spin: 6.5.2
// The variables of an ended process stay part of the state until it is removed.
byte x;

active proctype P() {
  byte l;
  if
  :: l = 1
  :: l = 2
  fi
}
active proctype Q() { x = 1; x = 2 }
