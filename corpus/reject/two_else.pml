// expect: rejected
// message: else
// spin: 6.5.2
// Two else in one choice.
active proctype P() { byte x; if :: x == 1 :: else -> x = 2 :: else -> x = 3 fi }
