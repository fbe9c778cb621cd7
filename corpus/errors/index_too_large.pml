// expect: violated invalid array index
// spin: 6.5.2
// An index behind the end of an array.
byte a[3], i = 2;

active proctype P() { i++; a[i] = 1 }
