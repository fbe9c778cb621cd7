// expect: holds
// states: 80
// transitions: 210
// unreached: 17
// spin: 6.5.2
// With forks taken in the order of their numbers nobody waits for ever.
#define N 4
chan fork[N] = [1] of { bit };

proctype Philosopher(byte low, high) {
  do
  :: fork[low]?_;
     fork[high]?_;
     fork[high]!1;
     fork[low]!1
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) { fork[i]!1 };
    for (i : 0 .. N - 2) { run Philosopher(i, i + 1) };
    run Philosopher(0, N - 1)
  }
}
