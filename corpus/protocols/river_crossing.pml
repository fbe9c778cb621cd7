// expect: violated assertion violated; invalid end state
// states: 23
// transitions: 34
// unreached: none
// spin: 6.5.2
// The farmer, the wolf, the goat and the cabbage: the assertion finds the way over.
bool farmer, wolf, goat, cabbage;
#define safe ((goat == farmer) || (goat != wolf && goat != cabbage))
#define over (farmer && wolf && goat && cabbage)

active proctype Boat() {
end:
  do
  :: atomic { farmer = !farmer; safe }
  :: atomic { farmer == wolf -> farmer = !farmer; wolf = farmer; safe }
  :: atomic { farmer == goat -> farmer = !farmer; goat = farmer; safe }
  :: atomic { farmer == cabbage -> farmer = !farmer; cabbage = farmer; safe }
  :: over -> assert(false); break
  od
}
