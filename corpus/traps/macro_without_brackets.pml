// expect: holds
// states: 4
// transitions: 4
// unreached: none
// spin: 6.5.2
// A macro is text: no brackets are added.
#define SUM 1 + 2
#define DOUBLE(a) a * 2
active proctype P() {
  assert(SUM * 3 == 7);
  assert(DOUBLE(1 + 2) == 5)
}
