// expect: violated invalid array index
// spin: 6.5.2
// An index before the start.
byte a[3]; short i;

active proctype P() { i--; a[i] = 1 }
