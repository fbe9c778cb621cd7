//! The rewriting simplifier: a smaller formula with the same language.
//!
//! Owns the order in which rules apply, and the rules for `X`, `F` and `G`; [`binary`] has those
//! for `U`, `W`, `R`, `M`, [`nary`] those for conjunction and disjunction. The rules are those of
//! Somenzi and Bloem (2000), of Etessami and Holzmann (2000) for eventual and universal formulas,
//! and of Spot. Input is any LTL formula; output is in negation normal form. Every rule is an
//! equivalence; tests compare the result with direct evaluation on random lassos.

mod binary;
mod nary;

use super::class::Class;
use super::implication::Implications;
use super::{Formula, Formulas, Node};
use rapidhash::RapidHashMap;

/// A simplifier with memoized results, for any number of formulas of one store.
#[derive(Debug, Default, Clone)]
pub struct Simplifier {
    pub(super) implications: Implications,
    memo: RapidHashMap<Formula, Formula>,
}

impl Simplifier {
    /// A simplifier without memoized results.
    pub fn new() -> Self {
        Self::default()
    }

    /// An equivalent formula in negation normal form, usually smaller.
    pub fn simplify(&mut self, store: &mut Formulas, f: Formula) -> Formula {
        let nnf = store.nnf(f);
        self.reduce(store, nnf)
    }

    /// Whether the syntax proves `f -> g`. Both formulas must be in negation normal form.
    pub fn implies(&mut self, store: &Formulas, f: Formula, g: Formula) -> bool {
        self.implications.implies(store, f, g)
    }

    fn reduce(&mut self, store: &mut Formulas, f: Formula) -> Formula {
        if let Some(&g) = self.memo.get(&f) {
            return g;
        }
        let mut current = self.rebuild(store, f);
        // Each rule shrinks the formula or moves an operator outwards, so rewriting terminates; the
        // bound is a precaution.
        for _ in 0..20 {
            let next = self.rewrite(store, current);
            if next == current {
                break;
            }
            current = self.rebuild(store, next);
        }
        self.memo.insert(f, current);
        self.memo.insert(current, current);
        current
    }

    /// `f` with its operands simplified.
    fn rebuild(&mut self, store: &mut Formulas, f: Formula) -> Formula {
        match store.node(f).clone() {
            Node::And(list) => {
                let list: Vec<_> = list.iter().map(|g| self.reduce(store, *g)).collect();
                store.and_all(list)
            }
            Node::Or(list) => {
                let list: Vec<_> = list.iter().map(|g| self.reduce(store, *g)).collect();
                store.or_all(list)
            }
            Node::Next(a) => {
                let a = self.reduce(store, a);
                store.next(a)
            }
            Node::Finally(a) => {
                let a = self.reduce(store, a);
                store.finally(a)
            }
            Node::Globally(a) => {
                let a = self.reduce(store, a);
                store.globally(a)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.reduce(store, a), self.reduce(store, b));
                store.until(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.reduce(store, a), self.reduce(store, b));
                store.release(a, b)
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (self.reduce(store, a), self.reduce(store, b));
                store.weak_until(a, b)
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (self.reduce(store, a), self.reduce(store, b));
                store.strong_release(a, b)
            }
            _ => f,
        }
    }

    pub(super) fn is(&mut self, store: &Formulas, f: Formula, class: Class) -> bool {
        self.implications.class(store, f).has(class)
    }

    /// One rewriting step at the root; the operands must be simplified.
    fn rewrite(&mut self, store: &mut Formulas, f: Formula) -> Formula {
        match store.node(f).clone() {
            Node::And(list) => self.rewrite_nary(store, &list, true),
            Node::Or(list) => self.rewrite_nary(store, &list, false),
            Node::Next(a) if self.is(store, a, Class::SUSPENDABLE) => a,
            Node::Finally(a) => self.rewrite_finally(store, a),
            Node::Globally(a) => self.rewrite_globally(store, a),
            Node::Until(a, b) => self.rewrite_until(store, a, b),
            Node::WeakUntil(a, b) => self.rewrite_weak(store, a, b),
            Node::Release(a, b) => self.rewrite_release(store, a, b),
            Node::StrongRelease(a, b) => self.rewrite_strong(store, a, b),
            _ => f,
        }
    }

    fn rewrite_finally(&mut self, store: &mut Formulas, a: Formula) -> Formula {
        if self.is(store, a, Class::EVENTUAL) {
            return a;
        }
        match store.node(a).clone() {
            Node::Next(b) => {
                let b = store.finally(b);
                store.next(b)
            }
            Node::Until(_, b) => store.finally(b),
            Node::StrongRelease(b, c) => {
                let both = store.and(b, c);
                store.finally(both)
            }
            Node::Globally(b) => {
                // FG(a | u) = FG a | F u where u is universal.
                let Node::Or(list) = store.node(b).clone() else { return store.finally(a) };
                let (out, stay): (Vec<_>, Vec<_>) =
                    list.iter().partition(|g| self.is(store, **g, Class::UNIVERSAL));
                if out.is_empty() {
                    return store.finally(a);
                }
                let stay = store.or_all(stay);
                let stay = store.globally(stay);
                let parts: Vec<_> =
                    out.into_iter().chain([stay]).map(|g| store.finally(g)).collect();
                store.or_all(parts)
            }
            Node::And(list) => {
                // F(a & s) = F a & s where s is suspendable.
                let (fixed, moving) = self.partition(store, &list);
                if fixed.is_empty() {
                    return store.finally(a);
                }
                let moving = store.and_all(moving);
                let moving = store.finally(moving);
                store.and_all(fixed.into_iter().chain([moving]))
            }
            Node::Or(list) => {
                // F distributes over disjunction; this helps if an operand is eventual already or
                // becomes suspendable.
                let helps = |c: Class| c.has(Class::EVENTUAL) || c.has(Class::UNIVERSAL);
                if !list.iter().any(|g| helps(self.implications.class(store, *g))) {
                    return store.finally(a);
                }
                let list: Vec<_> = list.iter().map(|g| store.finally(*g)).collect();
                store.or_all(list)
            }
            _ => store.finally(a),
        }
    }

    fn rewrite_globally(&mut self, store: &mut Formulas, a: Formula) -> Formula {
        if self.is(store, a, Class::UNIVERSAL) {
            return a;
        }
        match store.node(a).clone() {
            Node::Next(b) => {
                let b = store.globally(b);
                store.next(b)
            }
            Node::Release(_, b) => store.globally(b),
            Node::WeakUntil(b, c) => {
                let either = store.or(b, c);
                store.globally(either)
            }
            Node::Finally(b) => {
                // GF(a & e) = GF a & G e where e is eventual.
                let Node::And(list) = store.node(b).clone() else { return store.globally(a) };
                let (out, stay): (Vec<_>, Vec<_>) =
                    list.iter().partition(|g| self.is(store, **g, Class::EVENTUAL));
                if out.is_empty() {
                    return store.globally(a);
                }
                let stay = store.and_all(stay);
                let stay = store.finally(stay);
                let parts: Vec<_> =
                    out.into_iter().chain([stay]).map(|g| store.globally(g)).collect();
                store.and_all(parts)
            }
            Node::Or(list) => {
                let (fixed, moving) = self.partition(store, &list);
                if fixed.is_empty() {
                    return store.globally(a);
                }
                let moving = store.or_all(moving);
                let moving = store.globally(moving);
                store.or_all(fixed.into_iter().chain([moving]))
            }
            Node::And(list) => {
                let helps = |c: Class| c.has(Class::EVENTUAL) || c.has(Class::UNIVERSAL);
                if !list.iter().any(|g| helps(self.implications.class(store, *g))) {
                    return store.globally(a);
                }
                let list: Vec<_> = list.iter().map(|g| store.globally(*g)).collect();
                store.and_all(list)
            }
            _ => store.globally(a),
        }
    }

    /// The suspendable operands (true at every position or at none), and the others.
    fn partition(&mut self, store: &Formulas, list: &[Formula]) -> (Vec<Formula>, Vec<Formula>) {
        list.iter().partition(|g| self.is(store, **g, Class::SUSPENDABLE))
    }

    /// The conjunction or disjunction `f` without the operands for which `drop` holds; `None` if
    /// none is dropped.
    pub(super) fn without(
        store: &mut Formulas,
        f: Formula,
        conjunction: bool,
        mut drop: impl FnMut(&mut Formulas, Formula) -> bool,
    ) -> Option<Formula> {
        let list = match store.node(f) {
            Node::And(list) if conjunction => list.clone(),
            Node::Or(list) if !conjunction => list.clone(),
            _ => return None,
        };
        let kept: Vec<_> = list.iter().copied().filter(|g| !drop(store, *g)).collect();
        if kept.len() == list.len() {
            return None;
        }
        Some(if conjunction { store.and_all(kept) } else { store.or_all(kept) })
    }
}
