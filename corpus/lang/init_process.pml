// expect: holds
// states: 15
// transitions: 21
// unreached: none
// spin: 6.5.2
// The init process starts two others and ends only after them.
byte done;

proctype P(byte amount) {
  done = done + amount
}

init {
  atomic { run P(1); run P(2) };
  done == 3;
  assert(_nr_pr <= 3)
}
