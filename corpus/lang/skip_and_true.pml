// expect: holds
// states: 9
// transitions: 10
// unreached: none
// spin: 6.5.2
// skip, true and 1 are steps of their own; run together they are stored.
byte x;

active proctype P() {
  skip; true; 1; (1); x = 1;
  if :: skip :: true -> skip fi
}
