// expect: holds
// states: 13
// transitions: 17
// unreached: 16
// spin: 6.5.2
// run inside an assignment, not only as a statement of its own; `pid` is a type, the same as byte.
byte n;

proctype P() { n++ }

init {
  pid p;
  p = run P();
  if
  :: p > 0 && n == 1 -> skip
  :: p == 0 -> assert(false)
  fi;
  assert(p == 1);
  n == 1
}
