// expect: holds
// states: 723
// transitions: 1681
// unreached: none
// spin: 6.5.2
// A counting semaphore that admits two.
byte free = 2, inside;

inline down(s) { atomic { s > 0 -> s-- } }
inline up(s) { s++ }

active [4] proctype P() {
  down(free);
  inside++;
  assert(inside <= 2);
  inside--;
  up(free)
}
