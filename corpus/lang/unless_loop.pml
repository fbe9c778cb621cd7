// expect: holds
// states: 27
// transitions: 38
// unreached: none
// spin: 6.5.2
// Leaving a loop for good by its escape, with the channel operation as the guard.
chan stop = [0] of { bit };
byte n;

active proctype Worker() {
  do
  :: n < 3 -> n++
  :: n = 0
  od unless { stop?_ };
  assert(n <= 3)
}
active proctype Boss() { stop!1 }
