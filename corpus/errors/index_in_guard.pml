// expect: violated invalid array index
// spin: 6.5.2
// A wrong index in a condition.
byte a[2], i = 2;

active proctype P() { if :: a[i] == 0 -> i = 1 :: i == 2 -> i = 0 fi }
