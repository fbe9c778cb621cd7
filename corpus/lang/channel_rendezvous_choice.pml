// expect: holds
// states: 35
// transitions: 57
// unreached: none
// spin: 6.5.2
// Two receivers and two senders: each pair may meet, values are matched before that.
chan q = [0] of { byte };
byte sum;

active [2] proctype S() {
  if
  :: q!1
  :: q!2
  fi
}
active proctype R1() { q?1; sum = sum + 1 }
active proctype R2() { byte v; q?v; sum = sum + 10 * v }
