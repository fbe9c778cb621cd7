// expect: violated assertion violated
// states: 46871
// transitions: 83497
// unreached: 29
// spin: 6.5.2
// Stop and wait without sequence numbers over a channel that may repeat: data are doubled.
chan out = [1] of { byte };
chan back = [1] of { bit };
byte received;

active proctype Sender() {
  byte n = 1;
  do
  :: n <= 2 ->
     out!n;
     if
     :: back?_ -> n++
     :: skip
     fi
  :: else -> break
  od
}
active proctype Receiver() {
  byte v;
end:
  do
  :: out?v -> received++; assert(received <= 2); if :: back!0 :: full(back) fi
  od
}
