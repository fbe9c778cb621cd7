// expect: rejected
// message: np_
// spin: 6.5.2
// np_ makes sense in a never claim only.
active proctype P() { byte x; np_ -> x = 1 }
