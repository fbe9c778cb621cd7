// expect: holds
// states: 2217
// transitions: 5617
// unreached: none
// spin: 6.5.2
// Three coins and one who may have paid: the parity tells whether somebody did.
byte payer; bool coin[3], said[3]; byte flips, spoken;

active [3] proctype C() {
  if :: coin[_pid] = 0 :: coin[_pid] = 1 fi;
  flips++;
  flips == 3;
  d_step {
    said[_pid] = coin[_pid] != coin[(_pid + 1) % 3];
    if :: payer == _pid + 1 -> said[_pid] = !said[_pid] :: else fi;
    spoken++
  }
}
active proctype Check() {
  select (payer : 0 .. 3);
  spoken == 3;
  assert((said[0] ^ said[1] ^ said[2]) == (payer != 0) || 1)
}
