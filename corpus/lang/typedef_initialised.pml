// expect: holds
// states: 14
// transitions: 14
// unreached: none
// spin: 6.5.2
// Fields may have initial values; they belong to every variable of the type.
typedef Counter { byte n = 3; bool on = true };
Counter c[2];

active proctype P() {
  Counter d;
  assert(c[0].n == 3 && c[1].n == 3 && c[1].on);
  assert(d.n == 3 && d.on);
  do
  :: d.n > 0 -> d.n--; c[d.n % 2].n++
  :: d.n == 0 -> break
  od
}
