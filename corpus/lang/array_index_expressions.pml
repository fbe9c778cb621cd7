// expect: holds
// states: 2
// transitions: 5
// unreached: 16
// spin: 6.5.2
// An index is any expression, also another element.
byte a[4] = { 1, 2, 3, 0 };
byte at;

active proctype P() {
  do
  :: at = a[a[at]]
  :: a[(at + 1) % 4] = (a[at] + 1) % 4
  :: at == 3 -> break
  od
}
