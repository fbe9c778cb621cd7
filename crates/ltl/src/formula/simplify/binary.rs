//! Rules for the binary temporal operators `U`, `W`, `R` and `M`.

use super::super::class::Class;
use super::super::{Formula, Formulas, Node};
use super::Simplifier;

impl Simplifier {
    /// The operands of two `X`, for `X a op X b = X (a op b)`.
    fn both_next(store: &Formulas, a: Formula, b: Formula) -> Option<(Formula, Formula)> {
        match (store.node(a), store.node(b)) {
            (Node::Next(a), Node::Next(b)) => Some((*a, *b)),
            _ => None,
        }
    }

    pub(super) fn rewrite_until(
        &mut self,
        store: &mut Formulas,
        a: Formula,
        b: Formula,
    ) -> Formula {
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
            // a U (c U d) = c U d and a U (c W d) = c W d if a implies c.
            Node::Until(c, _) | Node::WeakUntil(c, _) if imp.implies(store, a, c) => return b,
            // a U (c M d) = c M d and a U (c R d) = c R d if a implies d.
            Node::StrongRelease(_, d) | Node::Release(_, d) if imp.implies(store, a, d) => {
                return b;
            }
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
        // (a | c) U b = c U b if a implies b; (a & c) U b = c U b if !b implies a.
        if let Some(a) = Self::without(store, a, false, |store, g| imp.implies(store, g, b)) {
            return store.until(a, b);
        }
        if let Some(a) = Self::without(store, a, true, |store, g| imp.covers(store, g, b)) {
            return store.until(a, b);
        }
        // (c U d) U b = d U b and (c W d) U b = d U b if c implies b.
        match store.node(a).clone() {
            Node::Until(c, d) | Node::WeakUntil(c, d) if imp.implies(store, c, b) => {
                store.until(d, b)
            }
            _ => store.until(a, b),
        }
    }

    pub(super) fn rewrite_weak(&mut self, store: &mut Formulas, a: Formula, b: Formula) -> Formula {
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

    pub(super) fn rewrite_release(
        &mut self,
        store: &mut Formulas,
        a: Formula,
        b: Formula,
    ) -> Formula {
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
            Node::Release(c, _) | Node::StrongRelease(c, _) if imp.implies(store, c, a) => {
                return b;
            }
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
        // (a & c) R b = c R b if b implies a; (a | c) R b = c R b if b excludes a.
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

    pub(super) fn rewrite_strong(
        &mut self,
        store: &mut Formulas,
        a: Formula,
        b: Formula,
    ) -> Formula {
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
