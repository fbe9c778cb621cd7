// expect: holds
// states: 260
// transitions: 602
// unreached: 20
// spin: 6.5.2
// A server that makes a process for each request; they answer over the client's channel.
chan request = [1] of { chan, byte };
byte workers;

proctype Worker(chan to; byte n) {
  to!n * n;
  workers--
}
active proctype Server() {
  chan who; byte n;
end:
  do
  :: atomic { workers < 2 && nempty(request) -> request?who, n; workers++; run Worker(who, n) }
  od
}
active [2] proctype Client() {
  chan reply = [1] of { byte };
  byte v;
  request!reply, _pid;
  reply?v;
  assert(v == _pid * _pid)
}
