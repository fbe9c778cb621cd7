// expect: holds
// states: 14
// transitions: 14
// unreached: none
// spin: 6.5.2
// break and computed bounds in a for.
byte i, n = 5;

active proctype P() {
  for (i : n - 4 .. n) {
    if
    :: i == 3 -> break
    :: else
    fi;
    n = n - 1
  };
  assert(i == 3 || i == 4)
}
