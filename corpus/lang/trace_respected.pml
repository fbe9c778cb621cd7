// expect: holds
// states: 9
// transitions: 9
// unreached: 10 16
// spin: 6.5.2
// A trace assertion that every run respects; its own state is part of the state.
chan q = [1] of { byte };

active proctype S() { q!1; q!2; q!1; q!2 }
active proctype R() { byte v; end: do :: q?v od }
trace {
end:
  do
  :: q!1; q!2
  od
}
