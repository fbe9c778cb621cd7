// expect: violated invalid end state
// states: 10
// transitions: 10
// unreached: 13
// spin: 6.5.2
// Any enabled option may be taken; an if without one blocks.
byte x;

active proctype P() {
  if
  :: x == 0 -> x = 1
  :: x <= 1 -> x = 2
  :: x > 5 -> x = 3
  :: x = 4
  fi;
  if
  :: x == 1
  :: x == 2
  fi
}
