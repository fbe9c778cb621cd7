// expect: rejected
// message: q
// spin: 6.5.2
// A channel nobody declared.
active proctype P() { q!1 }
