#define INCREMENT(v) v = v + + 1 ]
#define BAD INCREMENT(x)
#define TWO(a, b) a
byte x;
init {
  BAD;
  TWO(x);
  x = 1
}
