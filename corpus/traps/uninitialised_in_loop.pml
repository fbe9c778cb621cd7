// expect: holds
// states: 18
// transitions: 18
// unreached: none
// spin: 6.5.2
// Without a value it is set to 0 again each time round.
byte x;

active proctype P() {
  do
  :: x < 3 ->
     x++;
     byte t;
     assert(t == 0);
     t = x
  :: else -> break
  od
}
