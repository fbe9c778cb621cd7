// expect: holds
// states: 27
// transitions: 38
// unreached: none
// spin: 6.5.2
// _pid inside a process made later, after others have gone.
byte mark;

proctype A() { assert(_pid == 1); mark++ }
proctype B() { assert(_pid == 1 || _pid == 2); mark++ }

init {
  run A();
  mark == 1 && _nr_pr == 1;
  run B();
  run B();
  mark == 3
}
