// expect: violated invalid end state
// states: 5
// transitions: 5
// unreached: 15
// spin: 6.5.2
// Only the state of the labelled statement is a valid end.
chan q = [0] of { byte };

active proctype A() {
  byte v;
end:
  do
  :: q?v -> q?v
  od
}
active proctype B() { q!1; q!2; q!3 }
