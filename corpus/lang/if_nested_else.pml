// expect: holds
// states: 18
// transitions: 18
// unreached: none
// spin: 6.5.2
// Each else belongs to its own if.
byte a, b;

active proctype P() {
  do
  :: a < 2 ->
     if
     :: b < 2 -> b++
     :: else ->
        if
        :: a == 0 -> a = 1
        :: else -> a = 2; b = 0
        fi
     fi
  :: else -> break
  od
}
