// expect: holds
// states: 7
// transitions: 7
// unreached: none
// spin: 6.5.2
// Names of blocks that do not contain each other may be the same.
byte x;

active proctype P() {
  { byte t = 3; x = t };
  { short t = -1; x = x + t };
  assert(x == 2)
}
