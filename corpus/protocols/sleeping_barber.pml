// expect: violated invalid end state
// states: 3167
// transitions: 9224
// unreached: 18
// spin: 6.5.2
// One barber, two chairs, customers who go away when there is no seat.
#define CHAIRS 2
byte waiting; bool asleep;
chan ready = [0] of { bit };
byte served, lost;

active proctype Barber() {
end:
  do
  :: waiting == 0 -> asleep = true; waiting > 0; asleep = false
  :: waiting > 0 -> ready!1; atomic { waiting--; served++ }
  od
}
active [4] proctype Customer() {
  if
  :: atomic { waiting < CHAIRS -> waiting++ } -> ready?1
  :: atomic { waiting >= CHAIRS -> lost++ }
  fi;
  assert(served + lost <= 4)
}
