// expect: holds
// states: 71
// transitions: 71
// unreached: none
// spin: 6.5.2
// select chooses any value of its range in one step.
byte x, y;

active proctype P() {
  select (x : 1 .. 4);
  select (y : 0 .. x);
  assert(y <= x)
}
