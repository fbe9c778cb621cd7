// expect: holds
// states: 6615
// transitions: 14289
// unreached: 24
// spin: 6.5.2
// A lift that serves requests while it moves; doors are shut while moving.
#define FLOORS 4
bool call[FLOORS]; byte at; bool doors = true, up = true;

active proctype Lift() {
end:
  do
  :: call[at] -> doors = true; call[at] = false
  :: doors && !call[at] && (call[0] || call[1] || call[2] || call[3]) -> doors = false
  :: !doors && !call[at] ->
     if
     :: up && at < FLOORS - 1 -> at++
     :: up && at == FLOORS - 1 -> up = false
     :: !up && at > 0 -> at--
     :: !up && at == 0 -> up = true
     fi
  :: !doors && call[at] -> doors = true
  od
}
active proctype People() {
  byte f, n;
  do
  :: n < 3 -> select (f : 0 .. 3); call[f] = true; n++
  :: else -> break
  od
}
