// expect: holds
// states: 31
// transitions: 88
// unreached: 15 22
// spin: 6.5.2
// Readers together, writers alone.
byte readers, writers;

active [3] proctype Reader() {
  do
  :: atomic { writers == 0 -> readers++ };
     assert(writers == 0);
     readers--
  od
}
active [2] proctype Writer() {
  do
  :: atomic { writers == 0 && readers == 0 -> writers++ };
     assert(readers == 0 && writers == 1);
     writers--
  od
}
