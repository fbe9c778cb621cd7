// expect: holds
// states: 12
// transitions: 14
// unreached: none
// spin: 6.5.2
// Nondeterminism inside atomic: every branch is taken.
byte x, y;

active proctype P() {
  atomic {
    if
    :: x = 1
    :: x = 2
    :: x = 3
    fi;
    if
    :: x > 1 -> y = x
    :: y = 5
    fi
  };
  y = 0
}
