// expect: holds
// states: 17
// transitions: 22
// unreached: none
// spin: 6.5.2
// A d_step is tested for escape only before its first statement.
byte x; bool stop;

active proctype P() {
  d_step { x = 1; stop = true; x = 2 } unless { stop -> x = 9 };
  x = x + 1
}
active proctype Q() { stop = true }
