byte x, y;
active proctype P() {
  x = 1 y = 2;
  asert(x == 1);
  x == 1 = y;
  if :: x -> y = 1 :: else fi x = 3
}
