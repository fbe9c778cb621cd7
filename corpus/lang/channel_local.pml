// expect: holds
// states: 57
// transitions: 99
// unreached: none
// spin: 6.5.2
// A local channel belongs to its process; each instance has one.
byte out;

active [2] proctype P() {
  chan mine = [2] of { byte };
  byte v;
  mine!_pid; mine!_pid + 5;
  mine?v;
  assert(v == _pid);
  mine?v;
  out = out + v
}
