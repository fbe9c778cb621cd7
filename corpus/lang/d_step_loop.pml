// expect: holds
// states: 18
// transitions: 18
// unreached: none
// spin: 6.5.2
// Loops and selections inside a d_step take the first enabled option.
byte i, sum;

active proctype P() {
  do
  :: sum < 40 ->
     d_step {
       i = 0;
       do
       :: i < 4 ->
          if
          :: i % 2 == 0 -> sum = sum + 1
          :: i == 2 -> sum = 99
          :: else -> sum = sum + 2
          fi;
          i++
       :: else -> break
       od
     }
  :: else -> break
  od;
  assert(sum == 42)
}
