// expect: holds
// states: 26
// transitions: 26
// unreached: none
// spin: 6.5.2
// A proctype may run itself; the number of processes is not declared.
byte depth;

proctype Nest(byte n) {
  depth++;
  if
  :: n > 0 -> run Nest(n - 1)
  :: else
  fi
}

init { run Nest(5) }
