// expect: holds
// states: 7
// transitions: 7
// unreached: 13
// spin: 6.5.2
// A negative constant in a receive.
chan q = [2] of { short };
byte n;

active proctype P() {
  q!-2; q!2;
  if
  :: q?2 -> n = 1
  :: q?-2 -> n = 2
  fi;
  assert(n == 2)
}
