// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// A jump may stay within its d_step.
byte x;

active proctype P() {
  d_step {
    x = 1;
    if
    :: x > 0 -> goto over
    :: else
    fi;
    x = 5;
over:
    x = x + 1
  };
  assert(x == 2)
}
