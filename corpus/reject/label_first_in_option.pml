// expect: rejected
// message: label
// A label before the first statement of an option belongs before the choice.
active proctype P() {
  byte x;
  if
  :: here: x = 1
  :: x = 2
  fi;
  goto here
}
