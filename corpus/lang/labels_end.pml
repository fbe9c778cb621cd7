// expect: holds
// states: 12
// transitions: 16
// unreached: 15
// spin: 6.5.2
// A process waiting at an end label is allowed to wait for ever.
chan q = [1] of { byte };

active proctype Server() {
  byte b;
end_idle:
  do
  :: q?b -> b = 0
  od
}
active proctype Client() { q!1; q!2 }
