// expect: holds
// states: 5
// transitions: 5
// unreached: none
// spin: 6.5.2
// An argument is evaluated each time it is used.
byte x = 1;

inline twice(e) { x = e; x = e }

active proctype P() {
  twice(x + x);
  assert(x == 4)
}
