// expect: holds
// states: 39
// transitions: 41
// unreached: none
// spin: 6.5.2
// break leaves the innermost loop only.
byte i, j;

active proctype P() {
  do
  :: i < 3 ->
     j = 0;
     do
     :: j < 2 -> j++
     :: j >= 1 -> break
     od;
     i++
  :: else -> break
  od;
  assert(i == 3)
}
