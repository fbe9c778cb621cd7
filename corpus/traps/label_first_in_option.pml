// expect: holds
// states: 14
// transitions: 15
// unreached: none
// spin: 6.5.2
// SPIN prints an error for a label first in an option, and accepts it: the label is the state behind it.
byte n;

active proctype P() {
  byte x;
  if
  :: here: x = 1
  :: x = 2
  fi;
  n++;
  if
  :: n < 3 -> goto here
  :: else
  fi
}
