// expect: holds
// states: 146
// transitions: 275
// unreached: 30
// spin: 6.5.2
// Dekker's mutual exclusion.
bool want[2]; byte turn, inside;

active [2] proctype P() {
  byte me = _pid, other = 1 - _pid;
  do
  :: want[me] = true;
     do
     :: want[other] ->
        if
        :: turn == other ->
           want[me] = false;
           turn == me;
           want[me] = true
        :: else
        fi
     :: else -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     turn = other;
     want[me] = false
  od
}
