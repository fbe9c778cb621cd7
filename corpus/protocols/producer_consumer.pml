// expect: holds
// states: 3811
// transitions: 9646
// unreached: none
// spin: 6.5.2
// A bounded buffer by hand, with two producers and one consumer.
#define SIZE 2
byte buffer[SIZE], in, out, count;

inline put(v) { atomic { count < SIZE -> buffer[in] = v; in = (in + 1) % SIZE; count++ } }
inline get(v) { atomic { count > 0 -> v = buffer[out]; buffer[out] = 0; out = (out + 1) % SIZE; count-- } }

active [2] proctype Producer() {
  byte i;
  for (i : 1 .. 3) { put(i + 10 * _pid) }
}
active proctype Consumer() {
  byte v, n;
  do
  :: n < 6 -> get(v); assert(v % 10 >= 1 && v % 10 <= 3); n++
  :: else -> break
  od
}
