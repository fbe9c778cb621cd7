// expect: holds
// states: 5
// transitions: 5
// unreached: 11
// spin: 6.5.2
// else of an outer choice looks at the first statements of the inner one.
byte x;

active proctype P() {
  if
  :: { if :: x == 1 -> x = 5 :: x == 2 -> x = 6 fi }
  :: else -> x = 9
  fi;
  assert(x == 9)
}
