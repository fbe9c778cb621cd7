// expect: holds
// states: 35
// transitions: 35
// unreached: none
// spin: 6.5.2
// Bounds of select may be negative for a signed variable.
short s;

active proctype P() {
  select (s : -3 .. 3);
  assert(s * s <= 9)
}
