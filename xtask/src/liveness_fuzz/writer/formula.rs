//! Random formulas: half of them follow common patterns, half are arbitrary.

use super::{PROPERTIES, Writer};
use crate::fuzz::random::Random;
use crate::fuzz::words::{ATOMS, formula};

/// Patterns of Dwyer, Avrunin and Corbett (1999), and fairness: `A`, `B` and `C` are atoms, `S` is
/// an atom that rarely holds.
const PATTERNS: [&str; 24] = [
    "[] A",
    "<> A",
    "[] <> A",
    "<> [] A",
    "[] (A -> <> B)",
    "([] <> A) -> ([] <> B)",
    "(<> [] A) -> ([] <> B)",
    "[] (A -> (A U B))",
    "[] (A -> (X B))",
    "(! A) W B",
    "(<> A) -> ((! A) U B)",
    "[] ((A && ! B) -> ((! B) W C))",
    "[] ((A && <> B) -> ((! C) U B))",
    "[] (A -> ((X B) || (X (X B))))",
    "([] <> A) && ([] <> B) -> ([] <> C)",
    "(A V B) || (<> [] C)",
    "[] (<> (A && X B) || [] C)",
    "[] ((! A) -> ((! A) W B))",
    "<> ([] A || [] B)",
    "(A U (B U C)) || [] <> B",
    "[] (S -> <> A)",
    "[] (S -> (A U B))",
    "([] <> A) -> [] (S -> <> B)",
    "[] (S -> <> [] A)",
];

/// The number of patterns at the end of the list that use `S`.
const SELDOM_PATTERNS: usize = 4;

/// Conditions that are defined everywhere only because the left operand is evaluated first.
const GUARDED: [&str; 6] = [
    "(x < 2 && w[x] == 1)",
    "(x >= 2 || w[x] == 0)",
    "(x < 2 -> w[x] == 0)",
    "(y < 2 && x < 2 && w[x] == w[y])",
    "(!(x < 2 && w[x] == 0))",
    "(x == 0 || 4 / x > 1)",
];

/// Atoms that rarely hold: the automaton waits, and the program is the stem of the product.
const SELDOM: [&str; 5] = [
    "(x == 2 && y == 1 && !b)",
    "(x == 1 && y == 2 && len(q) == 1)",
    "(x == 2 && len(q) == 1)",
    "(n == 4)",
    "(n == 3 && b)",
];

/// Expensive atoms: the last process that moved is part of the state, and `timeout` is found by
/// trying all transitions.
const RARE: [&str; 2] = ["(_last == 0)", "(timeout)"];

impl Writer {
    pub fn formulas(&mut self) -> String {
        // Debian's SPIN is built without `X` and rejects all of the program's formulas then; only
        // the oracle judges them.
        self.next = self.random.percent(20);
        let list: Vec<String> = (0..PROPERTIES).map(|_| self.property()).collect();
        list.iter()
            .enumerate()
            .map(|(number, text)| format!("ltl p{number} {{ {text} }}\n"))
            .collect()
    }

    fn property(&mut self) -> String {
        if self.random.percent(50) {
            let atom = |random: &mut Random| atom(random, &self.remote);
            return formula(&mut self.random, 3, self.next, &atom);
        }
        let seldom = if self.random.percent(30) { PATTERNS.len() - SELDOM_PATTERNS } else { 0 };
        let mut text = (*self.random.pick(&PATTERNS[seldom..])).to_owned();
        text = text.replace('S', self.random.pick::<&str>(&SELDOM));
        for place in ["A", "B", "C"] {
            text = text.replace(place, &atom(&mut self.random, &self.remote));
        }
        if text.contains('X') && !self.next {
            return self.property();
        }
        if self.random.percent(20) { format!("!({text})") } else { text }
    }
}

/// A condition on the processes `remote`, or on the variables.
fn atom(random: &mut Random, remote: &[String]) -> String {
    if !remote.is_empty() && random.percent(25) {
        return random.pick(remote).clone();
    }
    let atoms: &[&str] = match random.below(100) {
        0..3 => &RARE,
        3..20 => &GUARDED,
        _ => &ATOMS,
    };
    (*random.pick(atoms)).to_owned()
}
