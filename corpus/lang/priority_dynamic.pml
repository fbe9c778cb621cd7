// expect: violated assertion violated
// states: 22
// transitions: 28
// unreached: none
// spin: 6.5.2
// Priorities can be read and set while running.
byte log;

active proctype A() priority 2 {
  int local_part;
  assert(_priority == 2);
  log++;
  set_priority(_pid, 1);
  assert(get_priority(_pid) == 1);
  log++
}
active proctype B() priority 2 {
  int local_part;
  log++;
  set_priority(0, 3);
  log++
}
