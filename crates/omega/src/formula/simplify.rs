//! The rewriting simplifier: a smaller formula with the same language.
//!
//! Owns the rewriting rules, which are those of Somenzi and Bloem (2000), Etessami and Holzmann (2000) for eventual
//! and universal formulas, and of Spot's collection. Input is any LTL formula; output is in negation normal form.
//! Every rule is an equivalence on words, and the tests hold the whole against direct evaluation on random lassos.

use super::class::Class;
use super::implication::Implications;
use super::{Formula, Formulas, Node};
use rapidhash::RapidHashMap;

/// A simplifier with its memory; use one for many formulas of the same store.
#[derive(Debug, Default, Clone)]
pub struct Simplifier {
    pub(super) implications: Implications,
    memo: RapidHashMap<Formula, Formula>,
}

impl Simplifier {
    /// A simplifier that remembers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An equivalent formula in negation normal form, usually smaller.
    pub fn simplify(&mut self, store: &mut Formulas, f: Formula) -> Formula {
        let nnf = store.nnf(f);
        self.reduce(store, nnf)
    }

    /// Is `f -> g` evident from the syntax? Both in negation normal form.
    pub fn implies(&mut self, store: &Formulas, f: Formula, g: Formula) -> bool {
        self.implications.implies(store, f, g)
    }

    fn reduce(&mut self, store: &mut Formulas, f: Formula) -> Formula {
        if let Some(&g) = self.memo.get(&f) {
            return g;
        }
        let mut current = self.rebuild(store, f);
        // Each rule shrinks the formula or moves an operator outwards; the bound is a seat belt.
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

    /// `f` with its operands reduced.
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

    /// One step at the root; the operands are reduced.
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
                let parts: Vec<_> = out.into_iter().chain([stay]).map(|g| store.finally(g)).collect();
                store.or_all(parts)
            }
            Node::And(list) => {
                // F(a & s) = F a & s where s says the same everywhere.
                let (fixed, moving) = self.partition(store, &list);
                if fixed.is_empty() {
                    return store.finally(a);
                }
                let moving = store.and_all(moving);
                let moving = store.finally(moving);
                store.and_all(fixed.into_iter().chain([moving]))
            }
            Node::Or(list) => {
                // F distributes over disjunction; worth it where a part is eventual already or becomes suspendable.
                let worth = |c: Class| c.has(Class::EVENTUAL) || c.has(Class::UNIVERSAL);
                if !list.iter().any(|g| worth(self.implications.class(store, *g))) {
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
                let parts: Vec<_> = out.into_iter().chain([stay]).map(|g| store.globally(g)).collect();
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
                let worth = |c: Class| c.has(Class::EVENTUAL) || c.has(Class::UNIVERSAL);
                if !list.iter().any(|g| worth(self.implications.class(store, *g))) {
                    return store.globally(a);
                }
                let list: Vec<_> = list.iter().map(|g| store.globally(*g)).collect();
                store.and_all(list)
            }
            _ => store.globally(a),
        }
    }

    /// Operands that are true everywhere or nowhere, and the others.
    fn partition(&mut self, store: &Formulas, list: &[Formula]) -> (Vec<Formula>, Vec<Formula>) {
        list.iter().partition(|g| self.is(store, **g, Class::SUSPENDABLE))
    }

    /// `X a op X b` moves the `X` out.
    fn both_next(store: &Formulas, a: Formula, b: Formula) -> Option<(Formula, Formula)> {
        match (store.node(a), store.node(b)) {
            (Node::Next(a), Node::Next(b)) => Some((*a, *b)),
            _ => None,
        }
    }

    /// `list` without those operands for which `drop` holds, joined again; nothing if none was dropped.
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

    fn rewrite_until(&mut self, store: &mut Formulas, a: Formula, b: Formula) -> Formula {
        if b == Formula::TRUE || b == Formula::FALSE || a == Formula::FALSE {
            return b;
        }
        if self.is(store, b, Class::EVENTUAL) || self.implications.implies(store, a, b) {
            return b;
        }
        if a == Formula::TRUE || self.implications.covers(store, a, b) {
            return store.finally(b);
        }
        if let Some((a, b)) = Self::both_next(store, a, b) {
            let u = store.until(a, b);
            return store.next(u);
        }
        let imp = &mut self.implications;
        match store.node(b).clone() {
            // a U (b U c) = b U c if a gives b; likewise a U (b W c) where it does not matter who waits.
            Node::Until(c, _) | Node::WeakUntil(c, _) if imp.implies(store, a, c) => return b,
            // a U (c M b'): b' holds before; a gives b' means the same wait.
            Node::StrongRelease(_, d) | Node::Release(_, d) if imp.implies(store, a, d) => return b,
            // a U (b | G a) = a W b
            Node::Or(list) => {
                let rest: Vec<_> = list
                    .iter()
                    .copied()
                    .filter(|g| !matches!(store.node(*g), Node::Globally(h) if *h == a))
                    .collect();
                if rest.len() < list.len() {
                    let rest = store.or_all(rest);
                    return store.weak_until(a, rest);
                }
                // a U (b | s) = (a U b) | s where s is eventual.
                let (out, stay): (Vec<_>, Vec<_>) =
                    list.iter().partition(|g| imp.class(store, **g).has(Class::EVENTUAL));
                if !out.is_empty() {
                    let stay = store.or_all(stay);
                    let u = store.until(a, stay);
                    return store.or_all(out.into_iter().chain([u]));
                }
            }
            Node::And(list) => {
                // a U (a & b) = b M a
                if let Some(rest) =
                    Self::without(store, b, true, |store, g| imp.implies(store, a, g) && g == a)
                {
                    return store.strong_release(rest, a);
                }
                let (fixed, moving): (Vec<_>, Vec<_>) =
                    list.iter().partition(|g| imp.class(store, **g).has(Class::SUSPENDABLE));
                if !fixed.is_empty() {
                    let moving = store.and_all(moving);
                    let u = store.until(a, moving);
                    return store.and_all(fixed.into_iter().chain([u]));
                }
            }
            _ => {}
        }
        // (a | c) U b = c U b if a gives b; (a & c) U b = c U b if not b gives a.
        if let Some(a) = Self::without(store, a, false, |store, g| imp.implies(store, g, b)) {
            return store.until(a, b);
        }
        if let Some(a) = Self::without(store, a, true, |store, g| imp.covers(store, g, b)) {
            return store.until(a, b);
        }
        // (a U b) U c, (a W b) U c where a gives c: the inner wait is b alone.
        match store.node(a).clone() {
            Node::Until(c, d) | Node::WeakUntil(c, d) if imp.implies(store, c, b) => store.until(d, b),
            _ => store.until(a, b),
        }
    }

    fn rewrite_weak(&mut self, store: &mut Formulas, a: Formula, b: Formula) -> Formula {
        if b == Formula::TRUE || a == Formula::TRUE {
            return Formula::TRUE;
        }
        if a == Formula::FALSE {
            return b;
        }
        if b == Formula::FALSE {
            return store.globally(a);
        }
        let imp = &mut self.implications;
        if imp.implies(store, a, b) {
            return b;
        }
        if imp.covers(store, a, b) {
            return Formula::TRUE;
        }
        if imp.class(store, b).has(Class::EVENTUAL) || imp.class(store, a).has(Class::UNIVERSAL) {
            let g = store.globally(a);
            return store.or(g, b);
        }
        if let Some((a, b)) = Self::both_next(store, a, b) {
            let w = store.weak_until(a, b);
            return store.next(w);
        }
        match store.node(b).clone() {
            Node::WeakUntil(c, _) if imp.implies(store, a, c) => return b,
            // a W (a & b) = b R a
            Node::And(_) => {
                if let Some(rest) = Self::without(store, b, true, |_, g| g == a) {
                    return store.release(rest, a);
                }
            }
            Node::Or(_) => {
                let always_a = store.globally(a);
                if let Some(rest) = Self::without(store, b, false, |_, g| g == always_a) {
                    return store.weak_until(a, rest);
                }
            }
            _ => {}
        }
        if let Some(a) = Self::without(store, a, false, |store, g| imp.implies(store, g, b)) {
            return store.weak_until(a, b);
        }
        if let Some(a) = Self::without(store, a, true, |store, g| imp.covers(store, g, b)) {
            return store.weak_until(a, b);
        }
        match store.node(a).clone() {
            Node::WeakUntil(c, d) if imp.implies(store, c, b) => store.weak_until(d, b),
            _ => store.weak_until(a, b),
        }
    }

    fn rewrite_release(&mut self, store: &mut Formulas, a: Formula, b: Formula) -> Formula {
        if b == Formula::TRUE || b == Formula::FALSE || a == Formula::TRUE {
            return b;
        }
        let imp = &mut self.implications;
        if imp.class(store, b).has(Class::UNIVERSAL) || imp.implies(store, b, a) {
            return b;
        }
        if a == Formula::FALSE || imp.excludes(store, b, a) {
            return store.globally(b);
        }
        if let Some((a, b)) = Self::both_next(store, a, b) {
            let r = store.release(a, b);
            return store.next(r);
        }
        match store.node(b).clone() {
            Node::Release(c, _) | Node::StrongRelease(c, _) if imp.implies(store, c, a) => return b,
            Node::And(list) => {
                // a R (b & F a) = a M b
                let eventually_a = store.finally(a);
                if let Some(rest) = Self::without(store, b, true, |_, g| g == eventually_a) {
                    return store.strong_release(a, rest);
                }
                let (out, stay): (Vec<_>, Vec<_>) =
                    list.iter().partition(|g| imp.class(store, **g).has(Class::UNIVERSAL));
                if !out.is_empty() {
                    let stay = store.and_all(stay);
                    let r = store.release(a, stay);
                    return store.and_all(out.into_iter().chain([r]));
                }
            }
            Node::Or(list) => {
                // a R (a | b) = b W a
                if let Some(rest) = Self::without(store, b, false, |_, g| g == a) {
                    return store.weak_until(rest, a);
                }
                let (fixed, moving): (Vec<_>, Vec<_>) =
                    list.iter().partition(|g| imp.class(store, **g).has(Class::SUSPENDABLE));
                if !fixed.is_empty() {
                    let moving = store.or_all(moving);
                    let r = store.release(a, moving);
                    return store.or_all(fixed.into_iter().chain([r]));
                }
            }
            _ => {}
        }
        // (a & c) R b = c R b if b gives a; (a | c) R b = c R b if b excludes a.
        if let Some(a) = Self::without(store, a, true, |store, g| imp.implies(store, b, g)) {
            return store.release(a, b);
        }
        if let Some(a) = Self::without(store, a, false, |store, g| imp.excludes(store, b, g)) {
            return store.release(a, b);
        }
        match store.node(a).clone() {
            Node::Release(c, d) | Node::StrongRelease(c, d) if imp.implies(store, b, c) => {
                store.release(d, b)
            }
            _ => store.release(a, b),
        }
    }

    fn rewrite_strong(&mut self, store: &mut Formulas, a: Formula, b: Formula) -> Formula {
        if b == Formula::FALSE || a == Formula::FALSE {
            return Formula::FALSE;
        }
        if a == Formula::TRUE {
            return b;
        }
        if b == Formula::TRUE {
            return store.finally(a);
        }
        let imp = &mut self.implications;
        if imp.implies(store, b, a) {
            return b;
        }
        if imp.excludes(store, b, a) {
            return Formula::FALSE;
        }
        if imp.class(store, b).has(Class::UNIVERSAL) || imp.class(store, a).has(Class::EVENTUAL) {
            let eventually = store.finally(a);
            return store.and(eventually, b);
        }
        if let Some((a, b)) = Self::both_next(store, a, b) {
            let m = store.strong_release(a, b);
            return store.next(m);
        }
        if let Some(a) = Self::without(store, a, true, |store, g| imp.implies(store, b, g)) {
            return store.strong_release(a, b);
        }
        if let Some(a) = Self::without(store, a, false, |store, g| imp.excludes(store, b, g)) {
            return store.strong_release(a, b);
        }
        match store.node(b).clone() {
            Node::StrongRelease(c, _) if imp.implies(store, c, a) => b,
            // a M (a | b) = b U a
            Node::Or(_) => match Self::without(store, b, false, |_, g| g == a) {
                Some(rest) => store.until(rest, a),
                None => store.strong_release(a, b),
            },
            _ => store.strong_release(a, b),
        }
    }
}
