// expect: holds
// states: 280
// transitions: 280
// unreached: none
// spin: 6.5.2
// With many values select is a loop of its own.
byte x;

active proctype P() {
  select (x : 5 .. 60);
  assert(x >= 5 && x <= 60)
}
