// expect: holds
// states: 83521
// transitions: 334085
// unreached: 13
// spin: 6.5.2
// Four independent counters: about a hundred thousand states.
byte c[4];

active [4] proctype Counter() {
  do
  :: c[_pid] = (c[_pid] + 1) % 17
  od
}
