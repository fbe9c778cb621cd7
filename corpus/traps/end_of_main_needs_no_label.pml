// expect: violated invalid end state
// states: 2
// transitions: 2
// unreached: 8
// spin: 6.5.2
// Finished processes are valid ends, blocked ones are not.
active proctype A() { skip }
active proctype B() { false }
