// expect: violated invalid end state
// states: 8
// transitions: 13
// unreached: 12 13 14
// spin: 6.5.2
// active [n] makes n processes of one proctype with pids in the order of the text.
byte order[4];

active [2] proctype A() { order[_pid] = 1 }
active proctype B() { order[_pid] = 2 }
active proctype C() {
  (_nr_pr == 1) -> order[_pid] = 3;
  assert(false)
}
