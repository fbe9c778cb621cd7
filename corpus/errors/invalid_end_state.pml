// expect: violated invalid end state
// states: 1
// transitions: 1
// unreached: 9 10
// spin: 6.5.2
// Two processes that wait for each other.
bool a, b;

active proctype P() { b -> a = true }
active proctype Q() { a -> b = true }
