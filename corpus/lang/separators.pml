// expect: holds
// states: 9
// transitions: 9
// unreached: none
// spin: 6.5.2
// Arrows, semicolons, several of them, and none before a closing brace.
byte x;

active proctype P() {
  x = 1 -> x = 2; ; x = 3;
  if
  :: x == 3; x = 4 -> x = 5;
  :: x == 2 -> skip;
  fi;
  atomic { x = 6 -> x = 7; };
}
