// expect: holds
// states: 11
// transitions: 14
// unreached: none
// spin: 6.5.2
// A process with `provided` moves only while the condition holds, also inside atomic.
bool open; byte steps;

active proctype Guarded() provided (open) {
  atomic { steps++; steps++ };
  steps++
}

active proctype Gate() {
  do
  :: open = !open
  :: steps == 3 -> break
  od
}
