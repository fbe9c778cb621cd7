// expect: holds
// states: 187
// transitions: 325
// unreached: 23
// spin: 6.5.2
// Lamport's bakery for two, with tickets that start again when nobody waits.
bool choosing[2]; byte ticket[2], inside;

active [2] proctype P() {
  byte me = _pid, other = 1 - _pid;
  do
  :: ticket[other] < 3 ->
     choosing[me] = true;
     ticket[me] = ticket[other] + 1;
     choosing[me] = false;
     !choosing[other];
     ticket[other] == 0 || ticket[me] < ticket[other] || (ticket[me] == ticket[other] && me < other);
     inside++;
     assert(inside == 1);
     inside--;
     ticket[me] = 0
  od
}
