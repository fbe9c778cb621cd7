// expect: violated invalid end state
// states: 2
// transitions: 2
// unreached: 13 14 15
// spin: 6.5.2
// The same election over rendezvous channels deadlocks when all send first.
#define N 3
chan link[N] = [0] of { byte };

proctype Node(byte i) {
  byte n, mine = i + 1;
  link[(i + 1) % N]!mine;
  link[i]?n;
  assert(n != mine)
}

init { byte i; atomic { for (i : 0 .. N - 1) { run Node(i) } } }
