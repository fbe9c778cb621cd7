// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// In a d_step the first enabled option is taken, not any.
byte x;

active proctype P() {
  d_step {
    if
    :: x == 0 -> x = 1
    :: x == 0 -> x = 2
    :: else -> x = 3
    fi
  };
  assert(x == 1)
}
