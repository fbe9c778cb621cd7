// expect: rejected
// message: else
// spin: 6.5.2
// else beside a channel operation together with xr or xs.
chan q = [1] of { byte };
active proctype P() { xs q; if :: q!1 :: else fi }
active proctype Q() { q?_ }
