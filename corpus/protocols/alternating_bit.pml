// expect: holds
// states: 109
// transitions: 131
// unreached: 24 38 44
// spin: 6.5.2
// The alternating bit protocol over channels that lose messages.
mtype = { msg, ack };
chan out = [2] of { mtype, bit, byte };
chan back = [2] of { mtype, bit };

active proctype Sender() {
  bit s; byte data = 1; bit r;
  do
  :: out!msg, s, data;
     if
     :: back?ack, r ->
        if
        :: r == s -> s = 1 - s; data = data % 3 + 1
        :: else
        fi
     :: timeout
     fi
  od
}
active proctype Receiver() {
  bit want, got; byte data, last;
  do
  :: out?msg, got, data ->
     if
     :: got == want ->
        assert(data == last % 3 + 1);
        last = data;
        want = 1 - want
     :: else
     fi;
     back!ack, got
  od
}
active proctype Thief() {
  do
  :: out?_, _, _
  :: back?_, _
  od
}
