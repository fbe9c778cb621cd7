init {
  skip
}
/* and so on
