// expect: holds
// states: 18
// transitions: 18
// unreached: none
// spin: 6.5.2
// A declaration inside a loop gives its value each time round.
byte x;

active proctype P() {
  do
  :: x < 3 ->
     x++;
     byte t = 5;
     t = t + x;
     assert(t == 5 + x)
  :: else -> break
  od
}
