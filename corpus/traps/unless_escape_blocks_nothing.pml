// expect: holds
// states: 23
// transitions: 34
// unreached: none
// spin: 6.5.2
// While the escape is not enabled, the main sequence continues as usual.
byte x;
chan q = [1] of { byte };

active proctype P() { { x = 1; x = 2; q?_ } unless { x == 5 -> x = 6 } }
active proctype Q() { if :: x = 5 :: q!1 fi }
