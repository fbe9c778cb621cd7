// expect: rejected
// message: unsigned
// spin: 6.5.2
// And cannot be the type of a message field.
chan q = [1] of { unsigned };
active proctype P() { q!1 }
