// expect: holds
// states: 22737
// transitions: 68833
// unreached: none
// spin: 6.5.2
// A spin lock by an atomic test-and-set.
bool locked; byte inside;

active [4] proctype P() {
  byte rounds;
  do
  :: rounds < 2 ->
     atomic { !locked -> locked = true };
     inside++;
     assert(inside == 1);
     inside--;
     locked = false;
     rounds++
  :: else -> break
  od
}
