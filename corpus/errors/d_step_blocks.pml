// expect: violated block in d_step seq
// spin: 6.5.2
// A statement after the first blocks inside a d_step.
byte x;

active proctype P() { d_step { x = 1; x == 2; x = 3 } }
