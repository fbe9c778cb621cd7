// expect: violated invalid end state
// states: 9
// transitions: 9
// unreached: 10 15
// spin: 6.5.2
// At the end of a run a trace assertion must be at its own end or at an end label.
chan q = [1] of { byte };

active proctype S() { q!1; q!2; q!1; q!2 }
active proctype R() { byte v; end: do :: q?v od }
trace {
  do
  :: q!1; q!2
  od
}
