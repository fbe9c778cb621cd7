// expect: holds
// states: 7
// transitions: 8
// unreached: 16
// spin: 6.5.2
// Processes made and gone in a loop: pids are taken again, the state space stays finite.
byte turn;

proctype Job() { assert(_pid == 1); turn = 1 }

init {
  do
  :: turn == 0 && _nr_pr == 1 -> run Job()
  :: turn == 1 && _nr_pr == 1 -> turn = 0
  od
}
