//! Syntactic implication: a cheap, sound and incomplete test of `f -> g`.
//!
//! Follows Somenzi and Bloem (2000) and the table in the paper of Babiak et al. (2012), extended by
//! the rules for eventual and universal formulas. Boolean formulas are compared exactly, as
//! decision diagrams. Formulas must be in negation normal form. A positive result proves the
//! implication; a negative one proves nothing.

use super::class::{Class, Classes};
use super::{AtomId, Formula, Formulas, Node};
use crate::guard::{Guard, Guards};
use rapidhash::RapidHashMap;

/// Memoized implications between formulas of one store.
#[derive(Debug, Default, Clone)]
pub(crate) struct Implications {
    pub(crate) classes: Classes,
    memo: RapidHashMap<(Formula, Formula), bool>,
    guards: Guards,
    diagrams: RapidHashMap<Formula, Guard>,
    negations: RapidHashMap<Formula, Formula>,
}

/// Boolean formulas are compared by syntax alone once the diagrams have more nodes than this.
const DIAGRAM_LIMIT: usize = 20_000;

impl Implications {
    /// The class of `f`.
    pub(crate) fn class(&mut self, store: &Formulas, f: Formula) -> Class {
        self.classes.of(store, f)
    }

    fn is(&mut self, store: &Formulas, f: Formula, class: Class) -> bool {
        self.classes.of(store, f).has(class)
    }

    /// The decision diagram of a Boolean formula.
    fn diagram(&mut self, store: &Formulas, f: Formula) -> Guard {
        if let Some(&g) = self.diagrams.get(&f) {
            return g;
        }
        let g = match store.node(f) {
            Node::True => Guard::TRUE,
            Node::False => Guard::FALSE,
            Node::Atom(AtomId(a)) => self.guards.variable(*a),
            Node::Not(g) => {
                let g = self.diagram(store, *g);
                self.guards.not(g)
            }
            Node::And(list) => list.iter().fold(Guard::TRUE, |acc, g| {
                let g = self.diagram(store, *g);
                self.guards.and(acc, g)
            }),
            Node::Or(list) => list.iter().fold(Guard::FALSE, |acc, g| {
                let g = self.diagram(store, *g);
                self.guards.or(acc, g)
            }),
            _ => unreachable!("a Boolean formula in negation normal form"),
        };
        self.diagrams.insert(f, g);
        g
    }

    /// Whether the syntax proves `f -> !g`, so that `f` and `g` exclude each other.
    pub(crate) fn excludes(&mut self, store: &mut Formulas, f: Formula, g: Formula) -> bool {
        let negation = match self.negations.get(&g) {
            Some(&n) => n,
            None => {
                let n = store.negated_nnf(g);
                self.negations.insert(g, n);
                n
            }
        };
        self.implies(store, f, negation)
    }

    /// Whether the syntax proves `f | g`.
    pub(crate) fn covers(&mut self, store: &mut Formulas, f: Formula, g: Formula) -> bool {
        let negation = store.negated_nnf(f);
        self.implies(store, negation, g)
    }

    /// Whether the syntax proves `f -> g`.
    pub(crate) fn implies(&mut self, store: &Formulas, f: Formula, g: Formula) -> bool {
        if f == g || f == Formula::FALSE || g == Formula::TRUE {
            return true;
        }
        if f == Formula::TRUE && self.is(store, g, Class::BOOLEAN) && g == Formula::FALSE {
            return false;
        }
        if let Some(&known) = self.memo.get(&(f, g)) {
            return known;
        }
        let boolean = self.is(store, f, Class::BOOLEAN) && self.is(store, g, Class::BOOLEAN);
        let answer = if boolean && self.guards.len() < DIAGRAM_LIMIT {
            let (a, b) = (self.diagram(store, f), self.diagram(store, g));
            self.guards.implies(a, b)
        } else {
            self.by_left(store, f, g) || self.by_right(store, f, g) || self.by_pair(store, f, g)
        };
        self.memo.insert((f, g), answer);
        answer
    }

    /// Rules that decompose `f`.
    fn by_left(&mut self, store: &Formulas, f: Formula, g: Formula) -> bool {
        match store.node(f) {
            Node::And(list) => list.iter().any(|a| self.implies(store, *a, g)),
            Node::Or(list) => list.iter().all(|a| self.implies(store, *a, g)),
            Node::Globally(a) => self.implies(store, *a, g),
            Node::Finally(a) => self.is(store, g, Class::EVENTUAL) && self.implies(store, *a, g),
            Node::Next(a) => self.is(store, g, Class::EVENTUAL) && self.implies(store, *a, g),
            Node::Until(a, b) => {
                (self.implies(store, *a, g) || self.is(store, g, Class::EVENTUAL))
                    && self.implies(store, *b, g)
            }
            Node::WeakUntil(a, b) => self.implies(store, *a, g) && self.implies(store, *b, g),
            Node::Release(_, b) => self.implies(store, *b, g),
            Node::StrongRelease(a, b) => {
                self.implies(store, *b, g)
                    || (self.is(store, g, Class::EVENTUAL) && self.implies(store, *a, g))
            }
            _ => false,
        }
    }

    /// Rules that decompose `g`.
    fn by_right(&mut self, store: &Formulas, f: Formula, g: Formula) -> bool {
        let universal = self.is(store, f, Class::UNIVERSAL);
        match store.node(g) {
            Node::And(list) => list.iter().all(|b| self.implies(store, f, *b)),
            Node::Or(list) => list.iter().any(|b| self.implies(store, f, *b)),
            Node::Finally(b) => self.implies(store, f, *b),
            Node::Globally(b) => universal && self.implies(store, f, *b),
            Node::Next(b) => universal && self.implies(store, f, *b),
            Node::Until(_, b) => self.implies(store, f, *b),
            Node::WeakUntil(a, b) => {
                self.implies(store, f, *b) || (universal && self.implies(store, f, *a))
            }
            Node::Release(a, b) => {
                self.implies(store, f, *b) && (universal || self.implies(store, f, *a))
            }
            Node::StrongRelease(a, b) => self.implies(store, f, *a) && self.implies(store, f, *b),
            _ => false,
        }
    }

    /// Rules that compare two temporal operators.
    fn by_pair(&mut self, store: &Formulas, f: Formula, g: Formula) -> bool {
        match (store.node(f), store.node(g)) {
            (Node::Next(a), Node::Next(b))
            | (Node::Finally(a), Node::Finally(b))
            | (Node::Globally(a), Node::Globally(b)) => self.implies(store, *a, *b),
            (Node::Until(a, b), Node::Until(c, d))
            | (Node::Until(a, b) | Node::WeakUntil(a, b), Node::WeakUntil(c, d))
            | (Node::StrongRelease(a, b), Node::StrongRelease(c, d))
            | (Node::StrongRelease(a, b) | Node::Release(a, b), Node::Release(c, d)) => {
                self.implies(store, *a, *c) && self.implies(store, *b, *d)
            }
            // a U b = b M (a | b) is also a release: it implies c R d if a and b imply d, and b
            // implies c.
            (Node::Until(a, b), Node::StrongRelease(c, d) | Node::Release(c, d))
            | (Node::WeakUntil(a, b), Node::Release(c, d)) => {
                self.implies(store, *a, *d)
                    && self.implies(store, *b, *d)
                    && self.implies(store, *b, *c)
            }
            // a M b = b U (a & b).
            (Node::StrongRelease(a, b), Node::Until(c, d) | Node::WeakUntil(c, d))
            | (Node::Release(a, b), Node::WeakUntil(c, d)) => {
                self.implies(store, *b, *c)
                    && (self.implies(store, *a, *d) || self.implies(store, *b, *d))
            }
            (Node::StrongRelease(a, b), Node::Finally(d)) => {
                self.implies(store, *a, *d) || self.implies(store, *b, *d)
            }
            (Node::Until(_, b), Node::Finally(d)) => self.implies(store, *b, *d),
            (Node::Globally(b), Node::Release(_, d)) => self.implies(store, *b, *d),
            (Node::Globally(a), Node::WeakUntil(c, _)) => self.implies(store, *a, *c),
            _ => false,
        }
    }
}
