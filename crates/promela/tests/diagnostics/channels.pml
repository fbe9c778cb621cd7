chan q = [1] of { byte };
byte x;
init {
  !full(q);
  x = 1 + empty(q);
  q?x+1;
  q?;
  q!;
  q?[x;
  eval(x)
}
