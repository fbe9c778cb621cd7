// expect: holds
// states: 29
// transitions: 42
// unreached: none
// spin: 6.5.2
// run gives the pid of the new process, as part of an expression.
byte got;

proctype Child(byte n) { assert(n == 7); got++ }

init {
  byte x;
  x = run Child(7);
  assert(x == 1);
  got == 1;
  (run Child(3 + 4)) -> skip;
  got == 2
}
