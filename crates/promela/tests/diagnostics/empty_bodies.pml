init { }
active proctype P() {
  if
  ::
  :: skip
  fi;
  ; skip
}
