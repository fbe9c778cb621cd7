// expect: violated invalid end state
// states: 92
// transitions: 138
// unreached: none
// spin: 6.5.2
// else beside a receive: enabled when nothing can be received.
chan q = [1] of { byte };
byte idle;

active proctype P() {
  byte i;
  for (i : 1 .. 3) {
    if
    :: q?_ -> skip
    :: else -> idle++
    fi
  }
}
active proctype Q() { q!1; q!2 }
