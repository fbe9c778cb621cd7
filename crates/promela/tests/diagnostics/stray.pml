} 
byte x
= 3;
) ;
init { goto if; x = else; run; for (x : 1) { skip } select (x, 1); for x }
byte if;
