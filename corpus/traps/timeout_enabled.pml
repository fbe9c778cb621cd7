// expect: holds
// states: 3
// transitions: 3
// unreached: none
// spin: 6.5.2
// Without the timeout this is a deadlock; with it the run ends well.
chan q = [0] of { byte };

active proctype P() {
  do
  :: q?_
  :: timeout -> break
  od
}
