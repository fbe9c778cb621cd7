//! Rules for conjunction and disjunction: contradiction and tautology, absorption of an operand by
//! another, unit resolution, and gathering of operands under a common temporal operator.

use super::super::class::Class;
use super::super::{Formula, Formulas, Node};
use super::Simplifier;

impl Simplifier {
    /// Rules for conjunction and, dually, disjunction.
    pub(super) fn rewrite_nary(
        &mut self,
        store: &mut Formulas,
        list: &[Formula],
        conjunction: bool,
    ) -> Formula {
        let join = |store: &mut Formulas, list: Vec<Formula>| {
            if conjunction { store.and_all(list) } else { store.or_all(list) }
        };
        // Contradiction, tautology, and absorption of operands that others imply.
        let mut kept: Vec<Formula> = Vec::with_capacity(list.len());
        'operands: for (i, &f) in list.iter().enumerate() {
            for (j, &g) in list.iter().enumerate() {
                if i == j {
                    continue;
                }
                let imp = &mut self.implications;
                if conjunction && imp.excludes(store, f, g) {
                    return Formula::FALSE;
                }
                if !conjunction && imp.covers(store, f, g) {
                    return Formula::TRUE;
                }
                let weaker =
                    if conjunction { imp.implies(store, g, f) } else { imp.implies(store, f, g) };
                let equal = weaker
                    && if conjunction {
                        imp.implies(store, f, g)
                    } else {
                        imp.implies(store, g, f)
                    };
                if weaker && (!equal || j < i) {
                    continue 'operands;
                }
            }
            kept.push(f);
        }
        if kept.len() < list.len() {
            return join(store, kept);
        }
        // a & (!a | b) = a & b.
        if let Some(f) = self.unit_resolution(store, list, conjunction) {
            return f;
        }
        self.gather(store, list, conjunction)
    }

    /// `a & (b | c) = a & c` where a excludes b, and the dual.
    fn unit_resolution(
        &mut self,
        store: &mut Formulas,
        list: &[Formula],
        conjunction: bool,
    ) -> Option<Formula> {
        for &f in list {
            for &g in list {
                if f == g {
                    continue;
                }
                let imp = &mut self.implications;
                let shorter = Self::without(store, g, !conjunction, |store, h| {
                    if conjunction { imp.excludes(store, f, h) } else { imp.covers(store, f, h) }
                });
                if let Some(shorter) = shorter {
                    let rest =
                        list.iter().map(|h| if *h == g { shorter } else { *h }).collect::<Vec<_>>();
                    return Some(if conjunction {
                        store.and_all(rest)
                    } else {
                        store.or_all(rest)
                    });
                }
            }
        }
        None
    }

    /// Joins operands with a common outer operator: `X a & X b`, `G a & G b`, `FG a & FG b`, `(a U
    /// b) & (c U b)`, ….
    fn gather(&mut self, store: &mut Formulas, list: &[Formula], conjunction: bool) -> Formula {
        #[derive(PartialEq, Eq, Hash, Clone, Copy)]
        enum GroupKey {
            Next,
            Simple,
            Repeated,
            UntilRight(Formula),
            UntilLeft(Formula),
            Alone(usize),
        }
        let mut groups: Vec<(GroupKey, Vec<Formula>)> = Vec::new();
        for (i, &f) in list.iter().enumerate() {
            // Suspendable operands stay alone: the rules for G and F would take them out again.
            let suspendable = self.is(store, f, Class::SUSPENDABLE);
            let (key, inner) = match store.node(f) {
                Node::Next(a) => (GroupKey::Next, *a),
                Node::Globally(a) if conjunction && !suspendable => (GroupKey::Simple, *a),
                Node::Finally(a) if !conjunction && !suspendable => (GroupKey::Simple, *a),
                // FG a & FG b = FG(a & b); GF a | GF b = GF(a | b)
                Node::Finally(g) if conjunction => match store.node(*g) {
                    Node::Globally(a) => (GroupKey::Repeated, *a),
                    _ => (GroupKey::Alone(i), f),
                },
                Node::Globally(g) if !conjunction => match store.node(*g) {
                    Node::Finally(a) => (GroupKey::Repeated, *a),
                    _ => (GroupKey::Alone(i), f),
                },
                Node::Until(a, b) if conjunction => (GroupKey::UntilRight(*b), *a),
                Node::Until(a, b) => (GroupKey::UntilLeft(*a), *b),
                Node::Release(a, b) if conjunction => (GroupKey::UntilLeft(*a), *b),
                Node::Release(a, b) => (GroupKey::UntilRight(*b), *a),
                _ => (GroupKey::Alone(i), f),
            };
            match groups.iter_mut().find(|(k, _)| *k == key) {
                Some((_, members)) => members.push(inner),
                None => groups.push((key, vec![inner])),
            }
        }
        let mut result = Vec::new();
        for (key, members) in groups {
            let inner = if conjunction { store.and_all(members) } else { store.or_all(members) };
            result.push(match key {
                GroupKey::Alone(_) => inner,
                GroupKey::Next => store.next(inner),
                GroupKey::Simple if conjunction => store.globally(inner),
                GroupKey::Simple => store.finally(inner),
                GroupKey::Repeated if conjunction => {
                    let g = store.globally(inner);
                    store.finally(g)
                }
                GroupKey::Repeated => {
                    let g = store.finally(inner);
                    store.globally(g)
                }
                GroupKey::UntilRight(b) if conjunction => store.until(inner, b),
                GroupKey::UntilRight(b) => store.release(inner, b),
                GroupKey::UntilLeft(a) if conjunction => store.release(a, inner),
                GroupKey::UntilLeft(a) => store.until(a, inner),
            });
        }
        if conjunction { store.and_all(result) } else { store.or_all(result) }
    }
}
