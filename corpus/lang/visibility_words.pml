// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// hidden, show and local do not change the meaning of variables that are not read.
hidden byte scratch;
show byte x;
local byte y;

active proctype P() {
  scratch = 4;
  x = 1;
  y = 2;
  scratch = 5;
  assert(x + y == 3)
}
