// expect: holds
// states: 14
// transitions: 14
// unreached: none
// spin: 6.5.2
// At the end of a line the separator may be missing.
byte x
bool done

active proctype P() {
  byte y
  x = 1
  y = x + 1
  if
  :: y == 2 -> x = 3
     y = 4
  :: else
  fi
  do
  :: x < 5 -> x++
  :: else -> break
  od
  atomic {
    x = 0
    y = 0
  }
  done = true
}
