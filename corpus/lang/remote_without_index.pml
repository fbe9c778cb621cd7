// expect: holds
// states: 13
// transitions: 18
// unreached: none
// spin: 6.5.2
// Without an index the reference means the first process of that proctype.
active proctype Only() {
  byte n = 4;
spot:
  n++;
  n++
}
active proctype Watch() {
  if
  :: Only@spot -> assert(Only:n == 4 || Only:n == 5 || Only:n == 6)
  :: Only:n == 6
  fi
}
