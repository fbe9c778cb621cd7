// expect: holds
// states: 77
// transitions: 143
// unreached: none
// spin: 6.5.2
// Of nested escapes the outermost wins.
byte x; bool a, b;

active proctype P() {
  {
    { do :: x < 3 -> x++ :: x == 3 -> x = 0 od } unless { a -> x = 20 };
    x = x + 1
  } unless { b -> x = 40 }
}
active proctype Q() {
  if
  :: a = 1; b = 1
  :: b = 1; a = 1
  :: atomic { a = 1; b = 1 }
  fi
}
