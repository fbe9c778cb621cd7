byte p, q;
ltl a { [] (p -> <> q }
ltl b { p = 1 }
ltl c { p U }
ltl { [ p }
ltl d
ltl e { <> p q }
init { skip }
