proctype P(byte a, byte b) { skip }
proctype Q(a) { skip }
proctype len() { skip }
prctype R() { skip }
active procktype S() { skip }
init { run P(1, 2) }
