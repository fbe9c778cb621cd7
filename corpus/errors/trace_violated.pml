// expect: violated event_trace error; invalid end state
// states: 3
// transitions: 3
// unreached: 9 10
// spin: 6.5.2
// An event that the trace assertion does not allow.
chan q = [2] of { byte };

active proctype P() { q!1; q!3; q!2 }
trace { q!1; q!2; q!3 }
