// expect: holds
// states: 9
// transitions: 9
// unreached: none
// spin: 6.5.2
// Structures hold structures and arrays; each element is a variable of its own.
typedef Point { byte x; byte y };
typedef Shape { Point corner[3]; bool closed; Point centre };
Shape s[2];

active proctype P() {
  byte i;
  s[0].corner[1].x = 4;
  s[1].corner[2].y = s[0].corner[1].x + 1;
  s[1].centre.x = 7;
  s[0].closed = true;
  i = s[1].corner[2].y;
  assert(i == 5 && s[0].centre.x == 0 && s[1].centre.x == 7);
  assert(s[0].corner[2].y == 0)
}
