// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// A blocked process of high priority does not hold up the others.
byte x;

active proctype H() priority 10 { x == 1 -> x = 2; x == 3 -> x = 4 }
active proctype L() priority 1 { x = 1; x = 3; skip }
