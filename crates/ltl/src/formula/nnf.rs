//! Negation normal form: negations pushed down to the atoms.
//!
//! `->`, `<->` and `xor` are expanded; every other operator is kept or replaced by its dual, so
//! only equivalences increase the size.

use super::{Formula, Formulas, Node};
use rapidhash::RapidHashMap;

impl Formulas {
    /// `f` with negations only before atoms.
    pub fn nnf(&mut self, f: Formula) -> Formula {
        self.push_negation(f, false, &mut RapidHashMap::default())
    }

    /// The negation of `f`, with negations only before atoms.
    pub fn negated_nnf(&mut self, f: Formula) -> Formula {
        self.push_negation(f, true, &mut RapidHashMap::default())
    }

    fn push_negation(
        &mut self,
        f: Formula,
        negated: bool,
        memo: &mut RapidHashMap<(Formula, bool), Formula>,
    ) -> Formula {
        if let Some(&g) = memo.get(&(f, negated)) {
            return g;
        }
        let node = self.node(f).clone();
        let mut go = |store: &mut Self, g: Formula, n: bool| store.push_negation(g, n, memo);
        let n = negated;
        let result = match node {
            Node::True | Node::False | Node::Atom(_) => {
                if n {
                    self.not(f)
                } else {
                    f
                }
            }
            Node::Not(g) => go(self, g, !n),
            Node::And(list) | Node::Or(list) => {
                let conjunction = matches!(self.node(f), Node::And(_)) != n;
                let list: Vec<Formula> = list.iter().map(|g| go(self, *g, n)).collect();
                if conjunction { self.and_all(list) } else { self.or_all(list) }
            }
            Node::Implies(a, b) => {
                let (a, b) = (go(self, a, !n), go(self, b, n));
                if n { self.and(a, b) } else { self.or(a, b) }
            }
            Node::Iff(a, b) | Node::Xor(a, b) => {
                let equal = matches!(self.node(f), Node::Iff(..)) != n;
                let (pa, pb) = (go(self, a, false), go(self, b, false));
                let (na, nb) = (go(self, a, true), go(self, b, true));
                let (x, y) = if equal {
                    (self.and(pa, pb), self.and(na, nb))
                } else {
                    (self.and(pa, nb), self.and(na, pb))
                };
                self.or(x, y)
            }
            Node::Next(g) => {
                let g = go(self, g, n);
                self.next(g)
            }
            Node::Finally(g) | Node::Globally(g) => {
                let finally = matches!(self.node(f), Node::Finally(_)) != n;
                let g = go(self, g, n);
                if finally { self.finally(g) } else { self.globally(g) }
            }
            Node::ForAllPaths(g) | Node::ExistsPath(g) => {
                let all = matches!(self.node(f), Node::ForAllPaths(_)) != n;
                let g = go(self, g, n);
                if all { self.for_all_paths(g) } else { self.exists_path(g) }
            }
            Node::Until(a, b) | Node::Release(a, b) => {
                let until = matches!(self.node(f), Node::Until(..)) != n;
                let (a, b) = (go(self, a, n), go(self, b, n));
                if until { self.until(a, b) } else { self.release(a, b) }
            }
            Node::WeakUntil(a, b) | Node::StrongRelease(a, b) => {
                let weak = matches!(self.node(f), Node::WeakUntil(..)) != n;
                let (a, b) = (go(self, a, n), go(self, b, n));
                if weak { self.weak_until(a, b) } else { self.strong_release(a, b) }
            }
        };
        memo.insert((f, negated), result);
        result
    }
}
