// expect: rejected
// message: blau
// spin: 6.5.2
// A symbolic name that is not in any list.
mtype = { rot, gruen, blue };
mtype m;
active proctype P() { m = blau }
