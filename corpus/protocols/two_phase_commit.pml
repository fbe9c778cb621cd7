// expect: holds
// states: 2001
// transitions: 5988
// unreached: none
// spin: 6.5.2
// Two-phase commit: all commit or all abort.
#define N 3
mtype = { yes, no, commit, abort };
chan vote = [N] of { mtype };
chan decision[N] = [1] of { mtype };
byte committed, aborted;

active [N] proctype Participant() {
  mtype d;
  if
  :: vote!yes
  :: vote!no
  fi;
  decision[_pid]?d;
  if
  :: d == commit -> committed++
  :: d == abort -> aborted++
  fi;
  assert(committed == 0 || aborted == 0)
}
active proctype Coordinator() {
  byte i; mtype v; bool all = true;
  for (i : 1 .. N) {
    vote?v;
    if
    :: v == no -> all = false
    :: else
    fi
  };
  for (i : 0 .. N - 1) { decision[i]!(all -> commit : abort) }
}
