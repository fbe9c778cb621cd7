// expect: holds
// states: 11
// transitions: 14
// unreached: none
// spin: 6.5.2
// P[e]@label is true while that process is at the label.
byte x;

active proctype P() {
  x = 1;
here:
  x = 2;
  x = 3
}
active proctype Q() {
  if
  :: atomic { P[0]@here -> assert(x == 1); x = 9 }
  :: x == 3
  fi
}
