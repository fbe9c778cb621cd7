//! The on-demand tableau: the "pure on-the-fly construction" of section 3.4, with the same trait as
//! explicit automata.
//!
//! The successors of a node are computed on first use. The label of a node is on the edges that
//! leave it, so a product with a system expands only nodes that the system can match.

use super::expand::Expander;
use super::{Improvements, label};
use crate::automaton::{Automaton, Edge, StateId};
use crate::formula::{AtomId, Formula, Formulas};
use crate::guard::Guards;
use crate::translate::TranslateError;
use std::sync::Arc;

/// The tableau of a formula, expanded on demand.
#[allow(missing_debug_implementations)] // Printing the borrowed store would not be useful.
pub struct LazyTableau<'a> {
    expander: Expander<'a>,
    atom_ids: Vec<AtomId>,
    atoms: Vec<Arc<str>>,
    guards: Guards,
    edges: Vec<Option<Vec<Edge>>>,
}

impl<'a> LazyTableau<'a> {
    /// The tableau of the LTL formula `f`.
    ///
    /// # Errors
    /// `f` is not LTL, or has more than 64 until formulas.
    pub fn new(
        store: &'a mut Formulas,
        f: Formula,
        improvements: Improvements,
    ) -> Result<Self, TranslateError> {
        let atom_ids = store.atoms_of(f);
        let atoms = atom_ids.iter().map(|a| store.atom_name(*a).clone()).collect();
        let expander = Expander::new(store, f, improvements)?;
        Ok(LazyTableau { expander, atom_ids, atoms, guards: Guards::new(), edges: Vec::new() })
    }

    /// Number of nodes built so far.
    pub fn node_count(&self) -> usize {
        self.expander.nodes.len()
    }
}

impl Automaton for LazyTableau<'_> {
    fn atoms(&self) -> &[Arc<str>] {
        &self.atoms
    }

    fn guards(&self) -> &Guards {
        &self.guards
    }

    fn acceptance_sets(&self) -> u32 {
        self.expander.untils.len() as u32
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.expander.initial().into_iter().map(|n| StateId(n as u32)).collect()
    }

    fn successors(&mut self, state: StateId) -> &[Edge] {
        let n = state.index();
        if self.edges.len() <= n {
            self.edges.resize(n + 1, None);
        }
        if self.edges[n].is_none() {
            let node = self.expander.nodes[n].clone();
            let guard = label(self.expander.store(), &self.atom_ids, &node, &mut self.guards);
            let marks = self.expander.marks(n);
            let list = self.expander.successors(n);
            self.edges[n] = Some(
                list.into_iter()
                    .map(|t| Edge { guard, marks, target: StateId(t as u32) })
                    .collect(),
            );
        }
        self.edges[n].as_deref().expect("just computed")
    }
}
