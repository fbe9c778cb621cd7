// expect: violated block in d_step seq
// spin: 6.5.2
// No option of a choice inside a d_step is enabled.
byte x;

active proctype P() { d_step { x = 1; if :: x == 2 -> x = 3 :: x == 4 -> x = 5 fi } }
