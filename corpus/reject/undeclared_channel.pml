// expect: rejected
// message: q
// spin: 6.5.2
// An undeclared channel.
active proctype P() { q!1 }
