// expect: violated assertion violated
// states: 85
// transitions: 395
// unreached: none
// spin: 6.5.2
// Four discs as sorted channels: a puzzle with 81 positions and a move between each two.
chan peg[3] = [4] of { byte };

inline move(from, to) {
  atomic {
    nempty(peg[from]) ->
    peg[from]?<a>;
    if
    :: empty(peg[to]) -> b = 9
    :: nempty(peg[to]) -> peg[to]?<b>
    fi;
    if
    :: a < b -> peg[from]?a; peg[to]!!a
    :: else
    fi;
    a = 0; b = 0
  }
}

active proctype Player() {
  byte a, b;
  atomic { peg[0]!1; peg[0]!2; peg[0]!3; peg[0]!4 };
  do
  :: move(0, 1)
  :: move(0, 2)
  :: move(1, 0)
  :: move(1, 2)
  :: move(2, 0)
  :: move(2, 1)
  :: len(peg[2]) == 4 -> assert(false); break
  od
}
