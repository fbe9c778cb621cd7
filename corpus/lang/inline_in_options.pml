// expect: holds
// states: 9
// transitions: 10
// unreached: 17
// spin: 6.5.2
// An inline call as the first statement of an option.
byte x;

inline when(cond) { cond -> x++ }
inline reset() { x = 0 }

active proctype P() {
  do
  :: when(x < 3)
  :: when(x == 3); reset()
  od
}
