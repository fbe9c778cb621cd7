//! The semantics of LTL on ultimately periodic words: the test oracle for all translations.
//!
//! Evaluates a formula at every position of a lasso, without automata. Short and simple on purpose.

use super::{Formula, Formulas, Node};
use crate::word::Lasso;
use rapidhash::RapidHashMap;

/// Whether the lasso `word` satisfies the LTL formula `f`. `holds(letter, atom)` says whether an
/// atom holds in a letter.
///
/// # Panics
/// If `f` has a path quantifier.
pub fn evaluate<L>(
    store: &Formulas,
    f: Formula,
    word: &Lasso<L>,
    holds: impl Fn(&L, super::AtomId) -> bool,
) -> bool {
    let length = word.len();
    let mut values: RapidHashMap<Formula, Vec<bool>> = RapidHashMap::default();
    for g in store.subformulas(f) {
        let v = |h: &Formula| &values[h];
        let row: Vec<bool> = match store.node(g) {
            Node::True => vec![true; length],
            Node::False => vec![false; length],
            Node::Atom(atom) => (0..length).map(|i| holds(word.letter(i), *atom)).collect(),
            Node::Not(a) => v(a).iter().map(|x| !x).collect(),
            Node::And(list) => (0..length).map(|i| list.iter().all(|h| v(h)[i])).collect(),
            Node::Or(list) => (0..length).map(|i| list.iter().any(|h| v(h)[i])).collect(),
            Node::Implies(a, b) => (0..length).map(|i| !v(a)[i] || v(b)[i]).collect(),
            Node::Iff(a, b) => (0..length).map(|i| v(a)[i] == v(b)[i]).collect(),
            Node::Xor(a, b) => (0..length).map(|i| v(a)[i] != v(b)[i]).collect(),
            Node::Next(a) => (0..length).map(|i| v(a)[word.next(i)]).collect(),
            Node::Finally(a) => fixpoint(word, false, |i, later| v(a)[i] || later),
            Node::Globally(a) => fixpoint(word, true, |i, later| v(a)[i] && later),
            Node::Until(a, b) => fixpoint(word, false, |i, later| v(b)[i] || (v(a)[i] && later)),
            Node::WeakUntil(a, b) => fixpoint(word, true, |i, later| v(b)[i] || (v(a)[i] && later)),
            Node::Release(a, b) => fixpoint(word, true, |i, later| v(b)[i] && (v(a)[i] || later)),
            Node::StrongRelease(a, b) => {
                fixpoint(word, false, |i, later| v(b)[i] && (v(a)[i] || later))
            }
            Node::ForAllPaths(_) | Node::ExistsPath(_) => {
                panic!("path quantifiers have no value on a word")
            }
        };
        values.insert(g, row);
    }
    values[&f][0]
}

/// The fixpoint of `value[i] = step(i, value[next(i)])`, starting with `start` at all positions.
fn fixpoint<L>(word: &Lasso<L>, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![start; word.len()];
    // Two backward passes suffice: the first one fixes the value at the cycle's last position.
    for _ in 0..2 {
        for i in (0..word.len()).rev() {
            row[i] = step(i, row[word.next(i)]);
        }
    }
    row
}
