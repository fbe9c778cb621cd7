// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// Comments of both kinds anywhere.
byte /* here */ x; // and here
/* over
   lines * / // still */
active proctype /**/ P() {
  x = 1 /* no // nesting */ + 2;
  // x = 9;
  assert(x == 3) }
