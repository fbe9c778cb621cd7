byte x;
inline twice(a) { a = = 1; b(a) }
inline b(c) { b(c) }
inline value(a) { return a + }
inline value(d) { skip }
inline (e) { skip }
init {
  twice(x);
  twice(x);
  twice(x, x);
  x = value(1);
  x = 1 + value(1);
  value(2);
  twise(x);
  return x
}
