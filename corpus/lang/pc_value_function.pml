// expect: holds
// states: 97
// transitions: 172
// unreached: none
// spin: 6.5.2
// pc_value(p) is the number of the control state of process p: equal for equal places.
byte x;

active [2] proctype P() { x++; x++ }
active proctype Q() {
  if
  :: pc_value(0) == pc_value(1) -> x = 7
  :: pc_value(0) != pc_value(1) -> x = 8
  fi
}
