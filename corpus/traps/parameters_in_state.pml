// expect: holds
// states: 15
// transitions: 17
// unreached: none
// spin: 6.5.2
// Processes that differ only in their parameters are different states.
byte x;

proctype P(byte n) { x == 0; skip; x == 0 }

init {
  if
  :: run P(1)
  :: run P(2)
  :: run P(3)
  fi
}
