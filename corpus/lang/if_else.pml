// expect: holds
// states: 9
// transitions: 11
// unreached: 17
// spin: 6.5.2
// else is taken only when no other option is enabled, wherever it stands.
byte x;

active proctype P() {
  do
  :: if
     :: else -> x = 0
     :: x < 3 -> x++
     :: x == 1 -> x = 3
     fi
  od
}
