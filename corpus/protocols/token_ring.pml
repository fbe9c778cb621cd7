// expect: holds
// states: 98
// transitions: 228
// unreached: 25
// spin: 6.5.2
// Mutual exclusion by a token that goes round.
#define N 4
chan ring[N] = [1] of { bit };
byte inside;

active [N] proctype Station() {
  if
  :: _pid == 0 -> ring[0]!1
  :: else
  fi;
end:
  do
  :: ring[_pid]?1 ->
     if
     :: inside++; assert(inside == 1); inside--
     :: skip
     fi;
     ring[(_pid + 1) % N]!1
  od
}
