// expect: holds
// states: 2
// transitions: 2
// unreached: 12
// spin: 6.5.2
// A rendezvous inside an atomic loop, control going there and back.
chan a = [0] of { byte };
chan b = [0] of { byte };
byte n;

active proctype P() { byte v; atomic { do :: n < 3 -> a!n; b?v; n++ :: else -> break od } }
active proctype Q() { byte v; end: do :: atomic { a?v; b!v } od }
