typedef Point { byte x; byte y }
typedef Empty { }
Piont p;
int grid[3][3];
mtype = { };
chan q = [2] of byte;
byte 3x;
hidden mtype = { red };
init {
  L: byte z;
  mtype = { blue };
  Foo bar;
  skip
}
