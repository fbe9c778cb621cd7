//! The function *expand* of figure 1: from obligations to finished nodes.
//!
//! Owns the splitting rules and the identity of nodes. The successors of a node are expanded on
//! demand; expanding all nodes in order is the algorithm of the figure.

use super::{Improvements, TableauNode, core_form};
use crate::automaton::Marks;
use crate::formula::{Formula, Formulas, Node};
use crate::translate::TranslateError;
use rapidhash::{RapidHashMap, RapidHashSet};
use std::collections::BTreeSet;

/// A node under construction.
#[derive(Clone)]
struct Draft {
    /// Unprocessed formulas, a stack: the order is that of a depth-first search.
    new: Vec<Formula>,
    /// The processed formulas that the node keeps.
    old: BTreeSet<Formula>,
    /// All processed formulas; equal to `old` without the improvement `forget_processed`.
    processed: BTreeSet<Formula>,
    next: BTreeSet<Formula>,
}

pub(super) struct Expander<'a> {
    store: &'a mut Formulas,
    root: Formula,
    improvements: Improvements,
    pub(super) nodes: Vec<TableauNode>,
    index: RapidHashMap<TableauNode, usize>,
    pub(super) untils: Vec<Formula>,
    /// Formulas that must stay in *Old* because acceptance sets refer to them.
    remembered: RapidHashSet<Formula>,
    /// The right operands of untils among them.
    right_sides: RapidHashSet<Formula>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        store: &'a mut Formulas,
        f: Formula,
        improvements: Improvements,
    ) -> Result<Self, TranslateError> {
        if store.is_branching(f) {
            return Err(TranslateError::Branching);
        }
        let root = core_form(store, f);
        let mut untils = Vec::new();
        let mut remembered = RapidHashSet::default();
        let mut right_sides = RapidHashSet::default();
        for g in store.subformulas(root) {
            if let Node::Until(_, b) = store.node(g) {
                if *b == Formula::TRUE && improvements.skip_trivial_untils {
                    continue;
                }
                untils.push(g);
                remembered.extend([g, *b]);
                right_sides.insert(*b);
            }
        }
        if untils.len() > 64 {
            return Err(TranslateError::TooManyAcceptanceSets);
        }
        Ok(Expander {
            store,
            root,
            improvements,
            nodes: Vec::new(),
            index: RapidHashMap::default(),
            untils,
            remembered,
            right_sides,
        })
    }

    pub(super) fn store(&self) -> &Formulas {
        self.store
    }

    /// Nodes in which a run may start.
    pub(super) fn initial(&mut self) -> Vec<usize> {
        self.expand(&[self.root])
    }

    /// Nodes that may follow node `n`.
    pub(super) fn successors(&mut self, n: usize) -> Vec<usize> {
        let next = self.nodes[n].next.clone();
        self.expand(&next)
    }

    /// The acceptance sets of node `n`: those whose until is absent or fulfilled.
    pub(super) fn marks(&self, n: usize) -> Marks {
        let old = &self.nodes[n].old;
        let mut marks = Marks::NONE;
        for (i, u) in self.untils.iter().enumerate() {
            let Node::Until(_, b) = self.store.node(*u) else { unreachable!("a list of untils") };
            // The improved algorithm never stores `true`.
            if !old.contains(u) || old.contains(b) || *b == Formula::TRUE {
                marks = marks.union(Marks::one(i as u32));
            }
        }
        marks
    }

    /// The finished nodes for a set of obligations, without duplicates.
    fn expand(&mut self, obligations: &[Formula]) -> Vec<usize> {
        let mut result = Vec::new();
        let mut stack = vec![Draft {
            new: obligations.iter().rev().copied().collect(),
            old: BTreeSet::new(),
            processed: BTreeSet::new(),
            next: BTreeSet::new(),
        }];
        while let Some(mut draft) = stack.pop() {
            let Some(f) = draft.new.pop() else {
                let n = self.finish(draft);
                if !result.contains(&n) {
                    result.push(n);
                }
                continue;
            };
            if draft.processed.contains(&f) {
                stack.push(draft);
                continue;
            }
            if self.contradicts(&draft, f) {
                continue;
            }
            let node = self.store.node(f).clone();
            let keep = !self.improvements.forget_processed
                || self.remembered.contains(&f)
                || matches!(node, Node::Atom(_) | Node::Not(_));
            draft.processed.insert(f);
            if keep {
                draft.old.insert(f);
            }
            match node {
                Node::True | Node::Atom(_) | Node::Not(_) => stack.push(draft),
                Node::False => {}
                Node::And(list) => {
                    draft.new.extend(list.iter().rev());
                    stack.push(draft);
                }
                Node::Or(list) => {
                    for g in list.iter().rev() {
                        let mut copy = draft.clone();
                        copy.new.push(*g);
                        stack.push(copy);
                    }
                }
                Node::Next(g) => {
                    draft.next.insert(g);
                    stack.push(draft);
                }
                Node::Until(a, b) => {
                    if self.improvements.skip_needless_splits && holds(&draft, b) {
                        stack.push(draft);
                        continue;
                    }
                    let mut now = draft.clone();
                    now.new.push(b);
                    if self.improvements.forget_processed && !self.right_sides.contains(&f) {
                        // Fulfilled at once, so acceptance does not depend on it.
                        now.old.remove(&f);
                    }
                    draft.new.push(a);
                    draft.next.insert(f);
                    stack.extend([now, draft]);
                }
                Node::Release(a, b) => {
                    if self.improvements.skip_needless_splits
                        && holds(&draft, a)
                        && holds(&draft, b)
                    {
                        stack.push(draft);
                        continue;
                    }
                    let mut now = draft.clone();
                    now.new.extend([b, a]);
                    draft.new.push(b);
                    draft.next.insert(f);
                    stack.extend([now, draft]);
                }
                other => unreachable!("{other:?} is not in core form"),
            }
        }
        result
    }

    /// Whether adding `f` makes the draft contradictory.
    fn contradicts(&mut self, draft: &Draft, f: Formula) -> bool {
        let literal = matches!(self.store.node(f), Node::Atom(_) | Node::Not(_));
        if literal {
            let negation = self.store.not(f);
            return draft.processed.contains(&negation);
        }
        if !self.improvements.early_contradictions {
            return false;
        }
        let negation = self.store.negated_nnf(f);
        draft.processed.contains(&negation) || draft.new.contains(&negation)
    }

    fn finish(&mut self, draft: Draft) -> usize {
        let node = TableauNode {
            old: draft.old.into_iter().collect(),
            next: draft.next.into_iter().collect(),
        };
        let nodes = &mut self.nodes;
        *self.index.entry(node).or_insert_with_key(|node| {
            nodes.push(node.clone());
            nodes.len() - 1
        })
    }
}

/// Whether the formulas of the draft already imply `f`.
fn holds(draft: &Draft, f: Formula) -> bool {
    draft.processed.contains(&f) || draft.new.contains(&f)
}
