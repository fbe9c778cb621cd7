//! From a formula to a transition-based generalized Büchi automaton, by sets of obligations
//! (Couvreur 1999).
//!
//! A state is a set of obligations: formulas that must hold from here on. Its *demand* is a
//! decision diagram over the atoms, *next* variables (obligations of the successor) and *promise*
//! variables (postponed untils). States with equal demands are identified. For each class of
//! letters, the prime cubes of the remaining diagram are the edges, so no edge subsumes another.

use super::TranslateError;
use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::formula::{AtomId, Formula, Formulas, Node};
use crate::guard::{Guard, Guards};
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// The meaning of a diagram variable that is not an atom.
#[derive(Clone, Copy, Debug)]
enum VariableMeaning {
    Next(Formula),
    Promise(u32),
}

/// The most edges of a tableau.
const EDGE_LIMIT: usize = 100_000;

/// The most nodes of a tableau's decision diagrams.
const NODE_LIMIT: usize = 3_000_000;

/// Options of the tableau.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableauOptions {
    /// Whether successors with equal letters and promises are joined into one whose obligation is
    /// their disjunction (branching postponement): more deterministic, sometimes larger.
    pub postpone_branching: bool,
    /// The most states to build.
    pub state_limit: usize,
}

struct TableauBuilder<'a> {
    store: &'a mut Formulas,
    guards: Guards,
    atoms: RapidHashMap<AtomId, u32>,
    atom_count: u32,
    meanings: Vec<VariableMeaning>,
    next_variables: RapidHashMap<Formula, u32>,
    promise_variables: RapidHashMap<Formula, u32>,
    promises: u32,
    demands: RapidHashMap<Formula, Guard>,
}

/// The automaton of the LTL formula `f`, which must be in negation normal form.
///
/// # Errors
/// The state limit was reached, or the formula has more than 64 different promises.
pub fn tableau(
    store: &mut Formulas,
    f: Formula,
    options: TableauOptions,
) -> Result<Tgba, TranslateError> {
    let atom_ids = store.atoms_of(f);
    let names: Vec<Arc<str>> = atom_ids.iter().map(|a| store.atom_name(*a).clone()).collect();
    let atom_count = atom_ids.len() as u32;
    let mut builder = TableauBuilder {
        store,
        guards: Guards::new(),
        atoms: atom_ids.into_iter().zip(0..).collect(),
        atom_count,
        meanings: Vec::new(),
        next_variables: RapidHashMap::default(),
        promise_variables: RapidHashMap::default(),
        promises: 0,
        demands: RapidHashMap::default(),
    };
    let mut states: Vec<Guard> = Vec::new();
    let mut index: RapidHashMap<Guard, StateId> = RapidHashMap::default();
    builder.guards.set_node_limit(NODE_LIMIT);
    let start = builder.demand(f);
    index.insert(start, StateId(0));
    states.push(start);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let mut edge_count = 0;
    while edges.len() < states.len() {
        let mut list = Vec::new();
        for (guard, promises, target) in builder.steps(states[edges.len()], options)? {
            let demand = builder.demand(target);
            if demand == Guard::FALSE {
                continue;
            }
            let target = *index.entry(demand).or_insert_with(|| {
                states.push(demand);
                StateId((states.len() - 1) as u32)
            });
            // Promises for now; they become marks once their number is known.
            list.push(Edge { guard, marks: promises, target });
        }
        edge_count += list.len();
        edges.push(list);
        if builder.store.is_stopped() {
            return Err(TranslateError::Interrupted);
        }
        if edge_count > EDGE_LIMIT || builder.guards.overflowed() {
            return Err(TranslateError::TooManyEdges(EDGE_LIMIT));
        }
        if states.len() > options.state_limit {
            return Err(TranslateError::TooManyStates(options.state_limit));
        }
    }
    builder.guards.set_node_limit(usize::MAX);
    let sets = builder.promises;
    let all = Marks::all(sets);
    for e in edges.iter_mut().flatten() {
        e.marks = all.minus(e.marks);
    }
    let mut automaton =
        Tgba { atoms: names, guards: builder.guards, sets, initial: vec![StateId(0)], edges };
    automaton.merge_edges();
    Ok(automaton)
}

impl TableauBuilder<'_> {
    fn next_variable(&mut self, f: Formula) -> Guard {
        // A conjunction is a set of obligations, one variable each, so that equal sets are equal.
        if let Node::And(list) = self.store.node(f) {
            let list = list.clone();
            return list.iter().fold(Guard::TRUE, |all, g| {
                let g = self.next_variable(*g);
                self.guards.and(all, g)
            });
        }
        if let Node::Or(list) = self.store.node(f) {
            let list = list.clone();
            return list.iter().fold(Guard::FALSE, |any, g| {
                let g = self.next_variable(*g);
                self.guards.or(any, g)
            });
        }
        match f {
            Formula::TRUE => return Guard::TRUE,
            Formula::FALSE => return Guard::FALSE,
            _ => {}
        }
        let variable = match self.next_variables.get(&f) {
            Some(&v) => v,
            None => {
                let v = self.atom_count + self.meanings.len() as u32;
                self.meanings.push(VariableMeaning::Next(f));
                self.next_variables.insert(f, v);
                v
            }
        };
        self.guards.variable(variable)
    }

    /// The promise to fulfil `f`; untils with the same right operand share it.
    fn promise_variable(&mut self, f: Formula) -> Guard {
        let variable = match self.promise_variables.get(&f) {
            Some(&v) => v,
            None => {
                let v = self.atom_count + self.meanings.len() as u32;
                self.meanings.push(VariableMeaning::Promise(self.promises));
                self.promises += 1;
                self.promise_variables.insert(f, v);
                v
            }
        };
        self.guards.variable(variable)
    }

    /// The demand of `f`: on the current letter, on the successor, and its promises.
    fn demand(&mut self, f: Formula) -> Guard {
        if let Some(&g) = self.demands.get(&f) {
            return g;
        }
        let g = match self.store.node(f).clone() {
            Node::True => Guard::TRUE,
            Node::False => Guard::FALSE,
            Node::Atom(atom) => self.guards.variable(self.atoms[&atom]),
            Node::Not(a) => {
                let a = self.demand(a);
                self.guards.not(a)
            }
            Node::And(list) => list.iter().fold(Guard::TRUE, |all, a| {
                let a = self.demand(*a);
                self.guards.and(all, a)
            }),
            Node::Or(list) => list.iter().fold(Guard::FALSE, |any, a| {
                let a = self.demand(*a);
                self.guards.or(any, a)
            }),
            Node::Next(a) => self.next_variable(a),
            Node::Finally(a) => self.unfold(f, Formula::TRUE, a, Some(a), false),
            Node::Globally(a) => self.unfold(f, Formula::FALSE, a, None, true),
            Node::Until(a, b) => self.unfold(f, a, b, Some(b), false),
            Node::WeakUntil(a, b) => self.unfold(f, a, b, None, false),
            Node::Release(a, b) => self.unfold(f, a, b, None, true),
            Node::StrongRelease(a, b) => self.unfold(f, a, b, Some(a), true),
            other => unreachable!("{other:?} in the negation normal form of an LTL formula"),
        };
        self.demands.insert(f, g);
        g
    }

    /// `b | (a & X f)`, or for a release `b & (a | X f)`, with the promise of `goal` where it is
    /// postponed.
    fn unfold(
        &mut self,
        f: Formula,
        a: Formula,
        b: Formula,
        goal: Option<Formula>,
        release: bool,
    ) -> Guard {
        let (a, b) = (self.demand(a), self.demand(b));
        let mut again = self.next_variable(f);
        if let Some(goal) = goal {
            let promise = self.promise_variable(goal);
            again = self.guards.and(again, promise);
        }
        if release {
            let inner = self.guards.or(a, again);
            self.guards.and(b, inner)
        } else {
            let inner = self.guards.and(a, again);
            self.guards.or(b, inner)
        }
    }

    /// The edges for a demand: letters, promises, obligations of the successor.
    fn steps(
        &mut self,
        demand: Guard,
        options: TableauOptions,
    ) -> Result<Vec<(Guard, Marks, Formula)>, TranslateError> {
        let mut steps: Vec<(Guard, Marks, Formula)> = Vec::new();
        if self.promises > 64 {
            return Err(TranslateError::TooManyAcceptanceSets);
        }
        let parts = self.guards.split(demand, self.atom_count, EDGE_LIMIT);
        // Beyond the limit parts are missing, and after an overflow the diagrams are wrong.
        if parts.len() > EDGE_LIMIT || self.guards.overflowed() {
            return Err(TranslateError::TooManyEdges(EDGE_LIMIT));
        }
        for (letters, rest) in parts {
            let mut here: Vec<(Marks, Formula)> = Vec::new();
            for cube in self.guards.cubes(rest) {
                let mut promises = Marks::NONE;
                let mut obligations = Vec::new();
                for (v, _) in cube {
                    match self.meanings[(v - self.atom_count) as usize] {
                        VariableMeaning::Next(g) => obligations.push(g),
                        VariableMeaning::Promise(p) if p < 64 => {
                            promises = promises.union(Marks::one(p))
                        }
                        VariableMeaning::Promise(_) => {
                            return Err(TranslateError::TooManyAcceptanceSets);
                        }
                    }
                }
                here.push((promises, self.store.and_all(obligations)));
            }
            if options.postpone_branching {
                here.sort_unstable();
                let mut joined: Vec<(Marks, Formula)> = Vec::new();
                for (promises, target) in here {
                    match joined.last_mut() {
                        Some(last) if last.0 == promises => last.1 = self.store.or(last.1, target),
                        _ => joined.push((promises, target)),
                    }
                }
                here = joined;
            }
            steps.extend(here.into_iter().map(|(promises, target)| (letters, promises, target)));
        }
        Ok(steps)
    }
}
