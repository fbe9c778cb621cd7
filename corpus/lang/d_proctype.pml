// expect: holds
// states: 9
// transitions: 9
// unreached: none
// spin: 6.5.2
// A D_proctype promises to be deterministic.
byte x;

active D_proctype P() {
  do
  :: x < 3 -> x++
  :: x == 3 -> break
  od
}
