// expect: holds
// states: 13
// transitions: 13
// unreached: none
// spin: 6.5.2
// A jump to the end of an option, and one to the statement after the loop.
byte x;

active proctype P() {
  do
  :: x < 3 -> x++; goto next
  :: x == 3 -> goto out;
next: skip
  od;
out: assert(x == 3)
}
