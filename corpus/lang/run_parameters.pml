// expect: holds
// states: 44
// transitions: 69
// unreached: 11
// spin: 6.5.2
// Parameters are variables of the new process: part of its state, cut to their width.
short total;

proctype P(byte a; bool b; short c, d) {
  if
  :: b -> total = total + a
  :: else -> total = total + c
  fi;
  d++;
  assert(d == 0)
}

init {
  run P(257, 2, 30, -1);
  run P(5, 0, -3, -1)
}
