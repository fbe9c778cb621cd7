// expect: holds
// states: 4
// transitions: 4
// unreached: 12 15
// spin: 6.5.2
// A never claim does not take part in the count of the program's own states.
byte x;

active proctype P() { x = 1; x = 2 }
never {
  do
  :: x == 7 -> break
  :: else
  od
}
