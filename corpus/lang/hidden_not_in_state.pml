// expect: holds
// states: 6
// transitions: 10
// unreached: 15
// spin: 6.5.2
// A hidden variable is not part of the state: loops that only change it add no states.
hidden byte junk;
byte x;

active proctype P() {
  do
  :: junk = 1; x = (x + 1) % 3
  :: junk = 2
  od
}
