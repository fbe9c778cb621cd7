// expect: holds
// states: 4
// transitions: 4
// unreached: 13 14
// spin: 6.5.2
// A receive that does not match leaves all variables alone.
chan q = [2] of { byte, byte };
byte a = 7, b = 8;

active proctype P() {
  q!1, 2;
  if
  :: q?a, 3 -> assert(false)
  :: q?2, b -> assert(false)
  :: atomic { q?1, 2 -> assert(a == 7 && b == 8) }
  fi
}
