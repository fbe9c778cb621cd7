// expect: violated invalid end state
// states: 12
// transitions: 15
// unreached: none
// spin: 6.5.2
// A loop inside atomic that ends.
byte x, y;

active proctype P() {
  atomic {
    do
    :: x < 6 -> x = x + 2; y++
    :: x >= 4 -> break
    od
  };
  assert(y == 2 || y == 3)
}
active proctype Q() { y == 3 -> x = 0 }
