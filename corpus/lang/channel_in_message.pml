// expect: holds
// states: 43
// transitions: 65
// unreached: 22
// spin: 6.5.2
// A channel sent in a message is used by the receiver to answer.
chan request = [1] of { chan, byte };

active [2] proctype Client() {
  chan reply = [1] of { byte };
  byte v;
  request!reply, _pid;
  reply?v;
  assert(v == _pid + 10)
}
active proctype Server() {
  chan back;
  byte who;
end: do
  :: request?back, who -> back!who + 10
  od
}
