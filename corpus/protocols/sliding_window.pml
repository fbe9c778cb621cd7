// expect: holds
// states: 231
// transitions: 415
// unreached: 18 24
// spin: 6.5.2
// A window of two over a channel in order, numbers modulo three.
#define W 2
#define M 3
chan data = [2] of { byte };
chan acks = [2] of { byte };

active proctype Sender() {
  byte base, next, sent;
  do
  :: sent < W -> data!next; next = (next + 1) % M; sent++
  :: acks?eval(base) -> base = (base + 1) % M; sent--
  od
}
active proctype Receiver() {
  byte want, v;
  do
  :: data?v -> assert(v == want); acks!v; want = (want + 1) % M
  od
}
