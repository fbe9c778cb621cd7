// expect: holds
// states: 7
// transitions: 7
// unreached: 19
// spin: 6.5.2
// accept and progress labels mean nothing to a safety check.
byte x;

active proctype P() {
accept_here:
  x++;
progress1:
  if
  :: x < 3 -> goto accept_here
  :: else -> goto end
  fi;
end:
  false
}
