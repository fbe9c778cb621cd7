// expect: holds
// states: 32
// transitions: 33
// unreached: none
// spin: 6.5.2
// A process can be created with a priority.
byte n;

proctype P(byte k) { n = n * 2 + k; n = n + k }

init {
  atomic {
    run P(1) priority 1;
    run P(2) priority 4;
    run P(3) priority 4
  }
}
