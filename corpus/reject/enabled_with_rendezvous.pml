// expect: rejected
// message: enabled
// spin: 6.5.2
// enabled() and rendezvous channels exclude each other.
chan q = [0] of { byte };
active proctype P() { if :: enabled(1) -> skip :: q?_ fi }
active proctype Q() { q!1 }
