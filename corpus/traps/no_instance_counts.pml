// expect: holds
// states: 1528
// transitions: 6142
// unreached: none
// spin: 6.5.2
// Seven processes of one proctype without a declared number of instances.
byte n;

proctype P() { n++; n == 7 }

init {
  byte i;
  for (i : 1 .. 7) { run P() }
}
