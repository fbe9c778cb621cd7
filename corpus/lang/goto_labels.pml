// expect: holds
// states: 14
// transitions: 15
// unreached: none
// spin: 6.5.2
// Jumps forwards, backwards, out of loops and into them.
byte n;

active proctype P() {
  goto middle;
start:
  do
  :: n < 4 ->
middle:
     n++
  :: n > 2 -> goto done
  :: n == 4 -> goto start
  od;
done:
  skip
}
