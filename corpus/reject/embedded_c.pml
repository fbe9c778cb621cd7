// expect: rejected
// spin-differs: SPIN accepts embedded C; Lariat names the construct and the line
// message: c_code
byte x;
active proctype P() { c_code { now.x = 3; }; x = 1 }
