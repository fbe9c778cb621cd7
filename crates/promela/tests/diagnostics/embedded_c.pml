c_decl { typedef struct { int x; } S; }
c_state "S s" "Global"
byte x;
init {
  c_code [x > 1] { now.s.x = '\0'; if (1) { x->y; } };
  if
  :: c_expr { now.s.x > 0 } -> x = 1
  :: else
  fi
}
