// expect: holds
// states: 105
// transitions: 219
// unreached: none
// spin: 6.5.2
// _pid and _nr_pr as values.
byte most;

active [3] proctype P() {
  if
  :: _nr_pr > most -> most = _nr_pr
  :: _nr_pr <= most
  fi;
  assert(_pid < 3)
}
