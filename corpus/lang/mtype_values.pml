// expect: holds
// states: 7
// transitions: 8
// unreached: 17
// spin: 6.5.2
// Symbolic names count down: the last one listed is 1.
mtype = { red, amber, green };
mtype light = red;

active proctype P() {
  assert(red == 3 && amber == 2 && green == 1);
  do
  :: light == red -> light = green
  :: light == green -> light = amber
  :: light == amber -> light = red
  od
}
