// expect: holds
// states: 9362
// transitions: 28087
// unreached: 39
// spin: 6.5.2
// The filter lock, Peterson's algorithm for three.
#define N 3
byte level[N], last[N], inside;

active [N] proctype P() {
  byte l, k; bool blocked;
  do
  :: l = 1;
     do
     :: l < N ->
        level[_pid] = l;
        last[l] = _pid;
        blocked = true;
        do
        :: blocked ->
           d_step {
             blocked = false; k = 0;
             do
             :: k < N -> if :: k != _pid && level[k] >= l && last[l] == _pid -> blocked = true :: else fi; k++
             :: else -> break
             od;
             k = 0
           }
        :: !blocked -> break
        od;
        l++
     :: l == N -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     level[_pid] = 0
  od
}
