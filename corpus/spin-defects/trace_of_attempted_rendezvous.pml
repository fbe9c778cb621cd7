// expect: violated invalid end state
// states: 1
// transitions: 1
// spin-differs: SPIN counts a send as an event even when the rendezvous does not come about, and reports an event_trace error
// A rendezvous without a receiver is no event.
chan q = [0] of { byte };

active proctype P() { q!0 }
trace { q!1 }
