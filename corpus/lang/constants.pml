// expect: holds
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// Decimal and character constants, true and false.
active proctype P() {
  byte c = 'a';
  assert(c == 97 && 'z' - c == 25);
  assert(true == 1 && false == 0);
  c = '\n';
  assert(c == 10)
}
