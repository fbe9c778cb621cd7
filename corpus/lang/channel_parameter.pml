// expect: holds
// states: 12
// transitions: 12
// unreached: 15
// spin: 6.5.2
// Channels as parameters: the same proctype on different channels.
chan a = [1] of { byte };
chan b = [1] of { byte };

proctype Pass(chan from, to) {
  byte v;
end: do
  :: from?v -> to!v + 1
  od
}

init {
  byte v;
  atomic { run Pass(a, b) };
  a!1;
  b?v;
  assert(v == 2);
  a!v;
  b?v;
  assert(v == 3)
}
