// expect: holds
// states: 20
// transitions: 20
// unreached: 12
// spin: 6.5.2
// for is an assignment and a loop; the counter ends one past the last value.
byte i, sum, low = 3, high = 2;

active proctype P() {
  for (i : 1 .. 4) { sum = sum + i };
  assert(sum == 10 && i == 5);
  for (i : low .. high) { assert(false) };
  assert(i == 3)
}
