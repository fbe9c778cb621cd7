// expect: rejected
// message: x
// spin: 6.5.2
// The same name twice in one scope.
byte x;
bool x;
active proctype P() { x = 1 }
