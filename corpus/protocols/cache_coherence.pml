// expect: holds
// states: 11
// transitions: 85
// unreached: 33
// spin: 6.5.2
// Three caches with invalid, shared and modified lines, and a bus.
mtype = { invalid, shared, modified };
#define N 3
mtype line[N] = invalid;

inline others(m) {
  d_step {
    i = 0;
    do
    :: i < N -> if :: i != _pid && line[i] != invalid -> line[i] = m :: else fi; i++
    :: else -> break
    od;
    i = 0
  }
}

active [N] proctype Cache() {
  byte i;
  do
  :: atomic { line[_pid] == invalid -> others(shared); line[_pid] = shared }
  :: atomic { line[_pid] != modified -> others(invalid); line[_pid] = modified }
  :: line[_pid] = invalid
  :: atomic {
       line[_pid] == modified ->
       assert(line[(_pid + 1) % N] == invalid && line[(_pid + 2) % N] == invalid)
     }
  od
}
