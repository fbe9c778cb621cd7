// expect: violated used: enabled
// spin: 6.5.2
// A process may not ask about itself.
byte x;

active proctype P() { if :: enabled(_pid) -> x = 1 :: else fi }
