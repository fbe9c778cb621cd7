byte x;
proctype P() {
  do
  :: x = 1
  :: if :: x == 2 -> break
  od
}
proctype Q() {
  if :: x == 1 -> { x = 2 fi
}
init {
  run P();
