// expect: rejected
// message: turm
// spin: 6.5.2
// A misspelt name, with the right one near by.
byte turn;
active proctype P() { turm = 1 }
