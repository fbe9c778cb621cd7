// expect: holds
// states: 99
// transitions: 157
// unreached: 27
// spin: 6.5.2
// Szymanski's waiting room, with the scans as single steps.
byte flag[2], inside;

active [2] proctype P() {
  byte me = _pid, other = 1 - _pid;
  do
  :: flag[me] = 1;
     flag[other] < 3;
     flag[me] = 3;
     if
     :: flag[other] == 1 -> flag[me] = 2; flag[other] == 4
     :: else
     fi;
     flag[me] = 4;
     me == 0 || flag[0] < 2;
     inside++;
     assert(inside == 1);
     inside--;
     other == 0 || flag[1] < 2 || flag[1] > 3;
     flag[me] = 0
  od
}
