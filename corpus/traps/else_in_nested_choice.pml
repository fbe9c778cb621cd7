// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// An else inside an option that begins with another choice.
byte x;

active proctype P() {
  do
  :: if
     :: x == 0 -> x = 1
     :: x == 1 -> x = 2
     fi
  :: x == 2 -> break
  od
}
