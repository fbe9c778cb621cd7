// expect: holds
// states: 21
// transitions: 33
// unreached: none
// spin: 6.5.2
// Skips are steps, one state each.
active proctype P() { skip; skip; skip; skip }
active proctype Q() { skip; skip }
