// expect: holds
// states: 8
// transitions: 8
// unreached: none
// spin: 6.5.2
// Receives are events, too; other channels are not watched.
chan q = [2] of { byte };
chan r = [1] of { byte };

active proctype P() { r!1; q!1; q!2; q?1; q?2; r?1 }
trace { q?1; q?2 }
