byte x;
init {
  x = 0x1f;
  x = 'ab';
  x = $;
  printf("no end);
  x = 99999999999;
  x = 2é;
}
