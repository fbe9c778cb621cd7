// expect: rejected
// message: _pid
// spin: 6.5.2
// Predefined variables cannot be assigned.
active proctype P() { _pid = 3 }
