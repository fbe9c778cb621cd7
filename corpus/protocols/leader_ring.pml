// expect: holds
// states: 497
// transitions: 1304
// unreached: none
// spin: 6.5.2
// Leader election in a ring (Chang and Roberts): the largest number wins.
#define N 4
chan link[N] = [N] of { byte };
byte leaders;

proctype Node(chan inn, out; byte mine) {
  byte n;
  out!mine;
end:
  do
  :: inn?n ->
     if
     :: n > mine -> out!n
     :: n < mine
     :: n == mine -> leaders++; assert(leaders == 1 && mine == N); break
     fi
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run Node(link[i], link[(i + 1) % N], (i * 3) % N + 1)
    }
  }
}
