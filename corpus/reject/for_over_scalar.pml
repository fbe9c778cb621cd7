// expect: rejected
// message: x
// spin: 6.5.2
// for ... in needs an array or a channel.
byte x, i;
active proctype P() { for (i in x) { skip } }
