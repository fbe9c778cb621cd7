// expect: violated too many processes
// spin: 6.5.2
// More than 255 processes.
proctype P() { false }

init { do :: run P() od }
