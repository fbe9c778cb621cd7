// expect: holds
// states: 5
// transitions: 5
// unreached: 11 15
// spin: 6.5.2
// Code that is never reached is still code.
byte x;

active proctype P() {
  do
  :: x = 1; break; x = 2
  od;
  x = 3;
  goto stop;
  x = 4;
stop: skip
}
