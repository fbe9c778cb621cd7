// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// hidden, show and local change nothing about the meaning of what is not read.
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
