//! Synchronous products, which intersect languages, and unions.
//!
//! The generalized product keeps the marks of both factors and is computed on demand. The k-copy
//! construction of Courcoubetis, Vardi, Wolper and Yannakakis is the generalized product followed
//! by the counter of [`crate::degeneralize`]. Atoms are matched by name.

use crate::automaton::{Automaton, Edge, Marks, StateId, Tgba};
use crate::degeneralize::degeneralize_by_counter;
use crate::guard::{Guard, Guards};
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// The product of two automata, computed on demand.
#[derive(Debug)]
pub struct Product<'a, A, B> {
    left: &'a mut A,
    right: &'a mut B,
    atoms: Vec<Arc<str>>,
    guards: Guards,
    right_variables: Vec<u32>,
    imported: [RapidHashMap<Guard, Guard>; 2],
    pairs: Vec<(StateId, StateId)>,
    index: RapidHashMap<(StateId, StateId), StateId>,
    expanded: Vec<Option<Vec<Edge>>>,
}

impl<'a, A: Automaton, B: Automaton> Product<'a, A, B> {
    /// The product of `left` and `right`.
    ///
    /// # Panics
    /// If the factors have more than 64 marks together.
    pub fn new(left: &'a mut A, right: &'a mut B) -> Self {
        assert!(
            left.acceptance_sets() + right.acceptance_sets() <= 64,
            "at most 64 acceptance marks"
        );
        let mut atoms = left.atoms().to_vec();
        let mut right_variables = Vec::new();
        for name in right.atoms() {
            let place = atoms.iter().position(|a| a == name).unwrap_or_else(|| {
                atoms.push(name.clone());
                atoms.len() - 1
            });
            right_variables.push(place as u32);
        }
        Product {
            left,
            right,
            atoms,
            guards: Guards::new(),
            right_variables,
            imported: [RapidHashMap::default(), RapidHashMap::default()],
            pairs: Vec::new(),
            index: RapidHashMap::default(),
            expanded: Vec::new(),
        }
    }

    /// The states of the factors in a product state.
    pub fn factors(&self, state: StateId) -> (StateId, StateId) {
        self.pairs[state.index()]
    }

    fn pair(&mut self, left: StateId, right: StateId) -> StateId {
        let (pairs, expanded) = (&mut self.pairs, &mut self.expanded);
        *self.index.entry((left, right)).or_insert_with(|| {
            pairs.push((left, right));
            expanded.push(None);
            StateId((pairs.len() - 1) as u32)
        })
    }

    fn expand(&mut self, state: StateId) -> Vec<Edge> {
        let (p, q) = self.pairs[state.index()];
        let shift = self.left.acceptance_sets();
        let mut sides: [Vec<(Guard, Marks, StateId)>; 2] = [Vec::new(), Vec::new()];
        let left_edges = self.left.successors(p).to_vec();
        for e in left_edges {
            let g = self.guards.import(self.left.guards(), e.guard, &|v| v, &mut self.imported[0]);
            sides[0].push((g, e.marks, e.target));
        }
        let right_edges = self.right.successors(q).to_vec();
        for e in right_edges {
            let rename = |v: u32| self.right_variables[v as usize];
            let g =
                self.guards.import(self.right.guards(), e.guard, &rename, &mut self.imported[1]);
            sides[1].push((g, Marks(e.marks.0 << shift), e.target));
        }
        let mut edges = Vec::new();
        for &(g, m, s) in &sides[0] {
            for &(h, n, t) in &sides[1] {
                let guard = self.guards.and(g, h);
                if guard != Guard::FALSE {
                    let target = self.pair(s, t);
                    edges.push(Edge { guard, marks: m.union(n), target });
                }
            }
        }
        edges
    }

    /// The guards of both factors over their common atoms: a manager, and for each factor the map
    /// from its guards to those of the manager.
    pub(crate) fn common_guards(
        mut self,
    ) -> (Guards, RapidHashMap<Guard, Guard>, RapidHashMap<Guard, Guard>)
    where
        A: AsRef<Tgba>,
        B: AsRef<Tgba>,
    {
        let identity = |v| v;
        let rename = |v: u32| self.right_variables[v as usize];
        let renames: [&dyn Fn(u32) -> u32; 2] = [&identity, &rename];
        for (side, tgba) in [(*self.left).as_ref(), (*self.right).as_ref()].into_iter().enumerate()
        {
            for e in tgba.edges.iter().flatten() {
                let g = self.guards.import(
                    &tgba.guards,
                    e.guard,
                    renames[side],
                    &mut self.imported[side],
                );
                self.imported[side].insert(e.guard, g);
            }
        }
        let [left, right] = self.imported;
        (self.guards, left, right)
    }

    /// The reachable part as an explicit automaton.
    pub fn to_explicit(mut self) -> Tgba {
        let initial = self.initial();
        let sets = self.acceptance_sets();
        let mut edges = Vec::new();
        let mut at = 0;
        while at < self.pairs.len() {
            edges.push(self.expand(StateId(at as u32)));
            at += 1;
        }
        Tgba { atoms: self.atoms, guards: self.guards, sets, initial, edges }
    }
}

impl<A: Automaton, B: Automaton> Automaton for Product<'_, A, B> {
    fn atoms(&self) -> &[Arc<str>] {
        &self.atoms
    }

    fn guards(&self) -> &Guards {
        &self.guards
    }

    fn acceptance_sets(&self) -> u32 {
        self.left.acceptance_sets() + self.right.acceptance_sets()
    }

    fn initial(&mut self) -> Vec<StateId> {
        let (left, right) = (self.left.initial(), self.right.initial());
        let mut initial = Vec::new();
        for p in left {
            for q in &right {
                initial.push(self.pair(p, *q));
            }
        }
        initial
    }

    fn successors(&mut self, state: StateId) -> &[Edge] {
        if self.expanded[state.index()].is_none() {
            let edges = self.expand(state);
            self.expanded[state.index()] = Some(edges);
        }
        self.expanded[state.index()].as_deref().expect("just expanded")
    }
}

/// The generalized product of any number of automata: the intersection of their languages.
///
/// # Panics
/// If the factors have more than 64 marks together.
pub fn generalized_product(factors: &[Tgba]) -> Tgba {
    let mut result = Tgba { initial: vec![StateId(0)], ..Tgba::default() };
    result.add_state();
    result.add_edge(StateId(0), Guard::TRUE, Marks::NONE, StateId(0));
    for factor in factors {
        let mut factor = factor.clone();
        result = Product::new(&mut result, &mut factor).to_explicit();
    }
    result
}

/// The k-copy product: a state-based Büchi automaton for the intersection. Its states contain the
/// number of the factor whose acceptance comes next.
///
/// # Panics
/// If the factors have more than 64 marks together.
pub fn k_copy_product(factors: &[Tgba]) -> Tgba {
    degeneralize_by_counter(&generalized_product(factors))
}

/// The union of two automata.
pub fn union(left: &Tgba, right: &Tgba) -> Tgba {
    let sets = left.sets.max(right.sets);
    let mut result = Tgba { sets, ..left.clone() };
    // A side with fewer marks gets the missing ones on every edge.
    let fill = |side: &Tgba| Marks::all(sets).minus(Marks::all(side.sets));
    for list in &mut result.edges {
        for e in list {
            e.marks = e.marks.union(fill(left));
        }
    }
    let mut variables = Vec::new();
    for name in &right.atoms {
        let place = result.atoms.iter().position(|a| a == name).unwrap_or_else(|| {
            result.atoms.push(name.clone());
            result.atoms.len() - 1
        });
        variables.push(place as u32);
    }
    let offset = result.edges.len() as u32;
    let mut memo = RapidHashMap::default();
    for list in &right.edges {
        let q = result.add_state();
        for e in list {
            let g =
                result.guards.import(&right.guards, e.guard, &|v| variables[v as usize], &mut memo);
            result.add_edge(q, g, e.marks.union(fill(right)), StateId(e.target.0 + offset));
        }
    }
    result.initial.extend(right.initial.iter().map(|q| StateId(q.0 + offset)));
    result
}
