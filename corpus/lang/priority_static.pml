// expect: holds
// states: 10
// transitions: 10
// unreached: none
// spin: 6.5.2
// Only the enabled processes of the highest priority run.
byte x;

active proctype Low() priority 1 { x = 1; x = 2 }
active proctype Mid() priority 5 { (x == 0) -> x = 3 }
active proctype High() priority 9 { x == 2 -> x = 4 }
