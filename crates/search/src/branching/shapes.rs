//! The syntax of branching-time formulas: state formulas, the path formulas of CTL, and negation.

use lariat_ltl::formula::{Formula, Formulas, Node as Operator};

/// A path formula of CTL: through states of one set to a state of the goal or, if `forever`,
/// without end.
#[derive(Clone, Copy, Debug)]
pub(super) struct CtlShape {
    pub within: Formula,
    pub goal: Formula,
    pub forever: bool,
}

pub(super) fn shape(store: &mut Formulas, path: Formula) -> Option<CtlShape> {
    let (within, goal, forever) = match *store.node(path) {
        Operator::Finally(f) => (Formula::TRUE, f, false),
        Operator::Globally(f) => (f, Formula::FALSE, true),
        Operator::Until(f, g) => (f, g, false),
        Operator::WeakUntil(f, g) => (f, g, true),
        Operator::Release(f, g) => (g, store.and(f, g), true),
        Operator::StrongRelease(f, g) => (g, store.and(f, g), false),
        _ => return None,
    };
    Some(CtlShape { within, goal, forever })
}

/// Does its value depend on a state alone?
pub fn is_state_formula(store: &Formulas, f: Formula) -> bool {
    match store.node(f) {
        Operator::True
        | Operator::False
        | Operator::Atom(_)
        | Operator::ForAllPaths(_)
        | Operator::ExistsPath(_) => true,
        node @ (Operator::Not(_)
        | Operator::And(_)
        | Operator::Or(_)
        | Operator::Implies(..)
        | Operator::Iff(..)
        | Operator::Xor(..)) => {
            let mut all = true;
            node.for_each_child(|child| all = all && is_state_formula(store, child));
            all
        }
        _ => false,
    }
}

/// The negation, with the outermost operator replaced by its dual.
pub(super) fn negation(store: &mut Formulas, path: Formula) -> Formula {
    match store.node(path).clone() {
        Operator::Next(f) => {
            let f = store.not(f);
            store.next(f)
        }
        Operator::Finally(f) => {
            let f = store.not(f);
            store.globally(f)
        }
        Operator::Globally(f) => {
            let f = store.not(f);
            store.finally(f)
        }
        Operator::Until(f, g) => binary(store, f, g, Formulas::release),
        Operator::Release(f, g) => binary(store, f, g, Formulas::until),
        Operator::WeakUntil(f, g) => binary(store, f, g, Formulas::strong_release),
        Operator::StrongRelease(f, g) => binary(store, f, g, Formulas::weak_until),
        Operator::And(list) => {
            let list: Vec<Formula> = list.iter().map(|&f| store.not(f)).collect();
            store.or_all(list)
        }
        Operator::Or(list) => {
            let list: Vec<Formula> = list.iter().map(|&f| store.not(f)).collect();
            store.and_all(list)
        }
        Operator::Implies(f, g) => {
            let g = store.not(g);
            store.and(f, g)
        }
        _ => store.not(path),
    }
}

fn binary(
    store: &mut Formulas,
    f: Formula,
    g: Formula,
    dual: impl Fn(&mut Formulas, Formula, Formula) -> Formula,
) -> Formula {
    let (f, g) = (store.not(f), store.not(g));
    dual(store, f, g)
}

/// A copy in which the maximal state formulas are atoms, named by their position in `leaves`.
pub(super) fn abstracted(
    store: &Formulas,
    f: Formula,
    linear: &mut Formulas,
    leaves: &mut Vec<Formula>,
) -> Formula {
    if f == Formula::TRUE || f == Formula::FALSE {
        return f;
    }
    if is_state_formula(store, f) {
        let place = leaves.iter().position(|&leaf| leaf == f).unwrap_or_else(|| {
            leaves.push(f);
            leaves.len() - 1
        });
        return linear.atom(&place.to_string());
    }
    let mut of = |linear: &mut Formulas, g: Formula| abstracted(store, g, linear, leaves);
    match store.node(f) {
        Operator::Not(g) => {
            let g = of(linear, *g);
            linear.not(g)
        }
        Operator::And(list) => {
            let list: Vec<Formula> = list.iter().map(|&g| of(linear, g)).collect();
            linear.and_all(list)
        }
        Operator::Or(list) => {
            let list: Vec<Formula> = list.iter().map(|&g| of(linear, g)).collect();
            linear.or_all(list)
        }
        Operator::Next(g) => {
            let g = of(linear, *g);
            linear.next(g)
        }
        Operator::Finally(g) => {
            let g = of(linear, *g);
            linear.finally(g)
        }
        Operator::Globally(g) => {
            let g = of(linear, *g);
            linear.globally(g)
        }
        node @ (Operator::Implies(a, b)
        | Operator::Iff(a, b)
        | Operator::Xor(a, b)
        | Operator::Until(a, b)
        | Operator::Release(a, b)
        | Operator::WeakUntil(a, b)
        | Operator::StrongRelease(a, b)) => {
            let (a, b) = (of(linear, *a), of(linear, *b));
            match node {
                Operator::Implies(..) => linear.implies(a, b),
                Operator::Iff(..) => linear.iff(a, b),
                Operator::Xor(..) => linear.xor(a, b),
                Operator::Until(..) => linear.until(a, b),
                Operator::Release(..) => linear.release(a, b),
                Operator::WeakUntil(..) => linear.weak_until(a, b),
                _ => linear.strong_release(a, b),
            }
        }
        Operator::True
        | Operator::False
        | Operator::Atom(_)
        | Operator::ForAllPaths(_)
        | Operator::ExistsPath(_) => unreachable!("these are state formulas"),
    }
}
