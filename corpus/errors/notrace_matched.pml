// expect: violated event_trace error
// states: 6
// transitions: 6
// unreached: none
// spin: 6.5.2
// A forbidden sequence of events that happens.
chan q = [3] of { byte };

active proctype P() { q!1; if :: q!2 :: q!3 fi }
notrace { q!1; q!2 }
