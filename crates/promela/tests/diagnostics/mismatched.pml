byte x;
init {
  if
  :: x == 1 -> x = 2
  od;
  do
  x = 3
  od;
  x = (1 + 2;
  x = a[3;
}
}
