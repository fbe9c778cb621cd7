//! The tableau of Gerth, Peled, Vardi and Wolper (1995), as published.
//!
//! Implements figure 1 of "Simple On-the-fly Automatic Verification of Linear Temporal Logic":
//! nodes with *New*, *Old* and *Next*, the splitting of a node, and the labelled generalized Büchi
//! automaton (LGBA) of section 3.3. Each improvement of section 3.4 is a switch. The result is not
//! reduced; for small automata use [`crate::translate`].
//!
//! Two improvements of section 3.4 are not switches: *Father* only serves the proof, and splitting
//! in place does not change the result. `X` is always supported.

mod expand;
mod lazy;

pub use lazy::LazyTableau;

use crate::automaton::{Marks, StateId, Tgba};
use crate::formula::{Formula, Formulas, Node};
use crate::guard::Guards;
use expand::Expander;
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// The improvements of section 3.4 that change the automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Improvements {
    /// `f U true` gets no acceptance set.
    pub skip_trivial_untils: bool,
    /// A node is discarded as soon as it must contain any formula and its negation, not only a
    /// literal and its negation.
    pub early_contradictions: bool,
    /// *Old* keeps only literals and the formulas of acceptance sets, so more nodes are equal.
    pub forget_processed: bool,
    /// `f U g` does not split a node that must satisfy `g` anyway, nor `f V g` one that must
    /// satisfy both operands.
    pub skip_needless_splits: bool,
}

impl Improvements {
    /// The algorithm of figure 1.
    pub const NONE: Improvements = Improvements {
        skip_trivial_untils: false,
        early_contradictions: false,
        forget_processed: false,
        skip_needless_splits: false,
    };
    /// All improvements of section 3.4.
    pub const ALL: Improvements = Improvements {
        skip_trivial_untils: true,
        early_contradictions: true,
        forget_processed: true,
        skip_needless_splits: true,
    };
}

/// A finished node: the formulas that hold in it and those that hold next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableauNode {
    /// Processed formulas.
    pub old: Vec<Formula>,
    /// Obligations of every successor.
    pub next: Vec<Formula>,
}

/// A labelled generalized Büchi automaton: labels and acceptance belong to the nodes.
#[derive(Clone, Debug)]
pub struct Lgba {
    /// Finished nodes.
    pub nodes: Vec<TableauNode>,
    /// Nodes in which a run may start.
    pub initial: Vec<usize>,
    /// Successors of each node.
    pub successors: Vec<Vec<usize>>,
    /// The until formulas, one acceptance set each.
    pub untils: Vec<Formula>,
    /// Acceptance sets each node is in.
    pub marks: Vec<Marks>,
}

impl Lgba {
    /// Number of transitions between nodes.
    pub fn transition_count(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }
}

/// `f` in the operators of the paper: literals, `&`, `|`, `X`, `U`, `V`.
pub fn core_form(store: &mut Formulas, f: Formula) -> Formula {
    let nnf = store.nnf(f);
    let mut memo: RapidHashMap<Formula, Formula> = RapidHashMap::default();
    for g in store.subformulas(nnf) {
        let of = |h: &Formula| memo[h];
        let core = match store.node(g).clone() {
            Node::And(list) => {
                let list: Vec<_> = list.iter().map(of).collect();
                store.and_all(list)
            }
            Node::Or(list) => {
                let list: Vec<_> = list.iter().map(of).collect();
                store.or_all(list)
            }
            Node::Next(a) => store.next(of(&a)),
            Node::Finally(a) => store.until(Formula::TRUE, of(&a)),
            Node::Globally(a) => store.release(Formula::FALSE, of(&a)),
            Node::Until(a, b) => store.until(of(&a), of(&b)),
            Node::Release(a, b) => store.release(of(&a), of(&b)),
            Node::WeakUntil(a, b) => {
                let either = store.or(of(&a), of(&b));
                store.release(of(&b), either)
            }
            Node::StrongRelease(a, b) => {
                let both = store.and(of(&a), of(&b));
                store.until(of(&b), both)
            }
            _ => g,
        };
        memo.insert(g, core);
    }
    memo[&nnf]
}

/// Builds the whole tableau of `f`.
///
/// # Errors
/// `f` is not LTL, has more than 64 until formulas, or its tableau more than `node_limit` nodes.
pub fn gpvw(
    store: &mut Formulas,
    f: Formula,
    improvements: Improvements,
    node_limit: usize,
) -> Result<Lgba, crate::translate::TranslateError> {
    let mut expander = Expander::new(store, f, improvements)?;
    let initial = expander.initial();
    let mut successors = Vec::new();
    while successors.len() < expander.nodes.len() {
        let list = expander.successors(successors.len());
        successors.push(list);
        if expander.nodes.len() > node_limit {
            return Err(crate::translate::TranslateError::TooManyStates(node_limit));
        }
    }
    let marks = (0..expander.nodes.len()).map(|n| expander.marks(n)).collect();
    let untils = expander.untils.clone();
    Ok(Lgba { nodes: expander.nodes, initial, successors, untils, marks })
}

/// The LGBA as a transition-based automaton: the label of a node moves to the edges that leave it.
pub fn to_tgba(store: &Formulas, f: Formula, lgba: &Lgba) -> Tgba {
    let atom_ids = store.atoms_of(f);
    let atoms: Vec<Arc<str>> = atom_ids.iter().map(|a| store.atom_name(*a).clone()).collect();
    let mut result = Tgba { sets: lgba.untils.len() as u32, ..Tgba::empty(atoms) };
    for _ in &lgba.nodes {
        result.add_state();
    }
    result.initial = lgba.initial.iter().map(|n| StateId(*n as u32)).collect();
    for (n, list) in lgba.successors.iter().enumerate() {
        let guard = label(store, &atom_ids, &lgba.nodes[n], &mut result.guards);
        for t in list {
            result.add_edge(StateId(n as u32), guard, lgba.marks[n], StateId(*t as u32));
        }
    }
    result
}

/// The literals of a node.
fn label(
    store: &Formulas,
    atoms: &[crate::formula::AtomId],
    node: &TableauNode,
    guards: &mut Guards,
) -> crate::guard::Guard {
    let variable = |a| atoms.binary_search(a).expect("atoms of the formula") as u32;
    let literals: Vec<(u32, bool)> = node
        .old
        .iter()
        .filter_map(|g| match store.node(*g) {
            Node::Atom(a) => Some((variable(a), true)),
            Node::Not(h) => match store.node(*h) {
                Node::Atom(a) => Some((variable(a), false)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    guards.cube(&literals)
}
