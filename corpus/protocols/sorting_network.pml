// expect: holds
// states: 586
// transitions: 1639
// unreached: none
// spin: 6.5.2
// Cells that keep the larger number and pass on the smaller one.
#define N 4
chan c[N] = [0] of { byte };
byte result[N];

proctype Cell(byte i) {
  byte mine, v, n;
  c[i]?mine;
  n = 1;
  do
  :: n < N - i ->
     c[i]?v;
     if
     :: v > mine -> c[i + 1]!mine; mine = v
     :: else -> c[i + 1]!v
     fi;
     n++
  :: else -> break
  od;
  result[i] = mine
}

init {
  byte i;
  atomic { for (i : 0 .. N - 1) { run Cell(i) } };
  c[0]!3; c[0]!1; c[0]!4; c[0]!2;
  _nr_pr == 1;
  assert(result[0] == 4 && result[1] == 3 && result[2] == 2 && result[3] == 1)
}
