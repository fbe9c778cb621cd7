// expect: holds
// states: 161
// transitions: 299
// unreached: none
// spin: 6.5.2
// Elements of a bit array, with values that fit.
bool seen[4];
byte count;

active [2] proctype P() {
  byte i;
  do
  :: atomic { i < 4 && !seen[i] -> seen[i] = true; count++ }
  :: i < 4 && seen[i] -> i++
  :: i == 4 -> break
  od;
  assert(count == 4)
}
