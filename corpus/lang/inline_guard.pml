// expect: holds
// states: 83
// transitions: 113
// unreached: none
// spin: 6.5.2
// An inline whose first statement can block is a guard.
byte sem = 1, inside;

inline lock() { atomic { sem > 0 -> sem-- } }
inline unlock() { sem++ }

active [3] proctype P() {
  lock();
  inside++;
  assert(inside == 1);
  inside--;
  unlock()
}
