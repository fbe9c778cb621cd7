// expect: violated event_trace error
// states: 7
// transitions: 7
// unreached: 11
// spin: 6.5.2
// Right channel, wrong value, in one of several runs.
chan q = [2] of { byte };
byte v;

active proctype P() { if :: v = 1 :: v = 2 fi; q!v }
trace { end: do :: q!1 od }
