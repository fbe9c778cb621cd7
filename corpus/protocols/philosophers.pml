// expect: violated invalid end state
// states: 119
// transitions: 342
// unreached: 18
// spin: 6.5.2
// Four philosophers who all take the left fork first: they can starve together.
#define N 4
chan fork[N] = [1] of { bit };

proctype Philosopher(byte left, right) {
end:
  do
  :: fork[left]?_;
     fork[right]?_;
     fork[right]!1;
     fork[left]!1
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) { fork[i]!1 };
    for (i : 0 .. N - 1) { run Philosopher(i, (i + 1) % N) }
  }
}
