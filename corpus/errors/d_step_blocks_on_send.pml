// expect: violated block in d_step seq
// spin: 6.5.2
// A send to a full channel inside a d_step.
chan q = [1] of { byte };

active proctype P() { d_step { q!1; q!2 } }
