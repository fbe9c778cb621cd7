//! ω-automata: the explicit type, and the trait that it shares with automata computed on demand.
//!
//! Owns states, edges and acceptance marks. Acceptance is transition-based generalized Büchi: a run
//! is accepting if it visits every mark infinitely often. In a state-based automaton all edges that
//! leave a state carry the same marks; plain Büchi acceptance has one mark. Does not know formulas.

use crate::guard::{Guard, Guards};
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// A state of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The state's number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of acceptance marks, numbered from 0 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// The first `count` marks.
    pub fn all(count: u32) -> Marks {
        Marks(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }

    /// The set of one mark.
    pub fn one(mark: u32) -> Marks {
        Marks(1 << mark)
    }

    /// Whether `mark` is in the set.
    pub fn has(self, mark: u32) -> bool {
        self.0 >> mark & 1 == 1
    }

    /// Whether all marks of `other` are in the set.
    pub fn contains(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Union.
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Intersection.
    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// Marks of this set that are not in `other`.
    pub fn minus(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// The marks, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |m| self.has(*m))
    }
}

/// An edge, as seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The letters that enable the edge; never false.
    pub guard: Guard,
    /// Acceptance marks of the edge.
    pub marks: Marks,
    /// The target state.
    pub target: StateId,
}

/// The interface of explicit and lazy automata. Successors may be computed on first use.
pub trait Automaton {
    /// Names of the atoms; variable `i` of a guard is the `i`-th.
    fn atoms(&self) -> &[Arc<str>];
    /// The manager of the edges' guards.
    fn guards(&self) -> &Guards;
    /// Number of acceptance marks.
    fn acceptance_sets(&self) -> u32;
    /// States a run may start in.
    fn initial(&mut self) -> Vec<StateId>;
    /// Edges that leave `state`.
    fn successors(&mut self, state: StateId) -> &[Edge];
}

/// An explicit transition-based generalized Büchi automaton.
#[derive(Clone, Debug, Default)]
pub struct Tgba {
    /// Names of the atoms; variable `i` of a guard is the `i`-th.
    pub atoms: Vec<Arc<str>>,
    /// The manager of the guards.
    pub guards: Guards,
    /// Number of acceptance marks; with none, every infinite run is accepting.
    pub sets: u32,
    /// States a run may start in.
    pub initial: Vec<StateId>,
    /// Edges by source.
    pub edges: Vec<Vec<Edge>>,
}

impl Automaton for Tgba {
    fn atoms(&self) -> &[Arc<str>] {
        &self.atoms
    }

    fn guards(&self) -> &Guards {
        &self.guards
    }

    fn acceptance_sets(&self) -> u32 {
        self.sets
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.initial.clone()
    }

    fn successors(&mut self, state: StateId) -> &[Edge] {
        &self.edges[state.index()]
    }
}

impl AsRef<Tgba> for Tgba {
    fn as_ref(&self) -> &Tgba {
        self
    }
}

impl Tgba {
    /// An automaton without states: it accepts nothing.
    pub fn empty(atoms: Vec<Arc<str>>) -> Self {
        Tgba { atoms, ..Self::default() }
    }

    /// Adds a state without edges.
    pub fn add_state(&mut self) -> StateId {
        self.edges.push(Vec::new());
        StateId((self.edges.len() - 1) as u32)
    }

    /// Adds an edge, unless its guard is false.
    pub fn add_edge(&mut self, source: StateId, guard: Guard, marks: Marks, target: StateId) {
        if guard != Guard::FALSE {
            self.edges[source.index()].push(Edge { guard, marks, target });
        }
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// Number of edges, counting edges with equal source, target and marks once.
    pub fn edge_count(&self) -> usize {
        let mut count = 0;
        for list in &self.edges {
            let mut seen: Vec<_> = list.iter().map(|e| (e.target, e.marks)).collect();
            seen.sort_unstable();
            seen.dedup();
            count += seen.len();
        }
        count
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.edges.len() as u32).map(StateId)
    }

    /// Merges edges that differ in their guard only.
    pub fn merge_edges(&mut self) {
        for list in &mut self.edges {
            let mut positions: RapidHashMap<(StateId, Marks), usize> = RapidHashMap::default();
            let mut merged: Vec<Edge> = Vec::with_capacity(list.len());
            for e in list.drain(..) {
                match positions.get(&(e.target, e.marks)) {
                    Some(&i) => merged[i].guard = self.guards.or(merged[i].guard, e.guard),
                    None => {
                        positions.insert((e.target, e.marks), merged.len());
                        merged.push(e);
                    }
                }
            }
            *list = merged;
        }
    }

    /// Keeps the states for which `keep` holds, and the edges and initial states among them.
    pub fn retain_states(&mut self, keep: impl Fn(StateId) -> bool) {
        let mut renumbered = vec![None; self.edges.len()];
        let mut next = 0;
        for q in self.states() {
            if keep(q) {
                renumbered[q.index()] = Some(StateId(next));
                next += 1;
            }
        }
        let old = std::mem::take(&mut self.edges);
        for (i, list) in old.into_iter().enumerate() {
            if renumbered[i].is_some() {
                self.edges.push(
                    list.into_iter()
                        .filter_map(|e| {
                            renumbered[e.target.index()].map(|target| Edge { target, ..e })
                        })
                        .collect(),
                );
            }
        }
        self.initial = self.initial.iter().filter_map(|q| renumbered[q.index()]).collect();
        self.initial.sort_unstable();
        self.initial.dedup();
    }

    /// Removes unreachable states.
    pub fn retain_reachable(&mut self) {
        let mut seen = vec![false; self.edges.len()];
        let mut stack = self.initial.clone();
        for q in &stack {
            seen[q.index()] = true;
        }
        while let Some(q) = stack.pop() {
            for e in &self.edges[q.index()] {
                if !std::mem::replace(&mut seen[e.target.index()], true) {
                    stack.push(e.target);
                }
            }
        }
        if seen.contains(&false) {
            self.retain_states(|q| seen[q.index()]);
        }
    }

    /// Whether all edges that leave a state carry the same marks, for every state.
    pub fn is_state_based(&self) -> bool {
        self.edges.iter().all(|list| list.windows(2).all(|w| w[0].marks == w[1].marks))
    }

    /// Whether every word has at most one run.
    pub fn is_deterministic(&self) -> bool {
        let mut scratch = Guards::new();
        let mut memo = RapidHashMap::default();
        self.initial.len() <= 1
            && self.edges.iter().all(|list| {
                if list.len() <= 16 {
                    let pair = |(i, a): (usize, &Edge)| {
                        list[..i].iter().all(|b| !self.guards.intersects(a.guard, b.guard))
                    };
                    return list.iter().enumerate().all(pair);
                }
                // Many edges: compare each with the disjunction of those before it.
                let mut sum = Guard::FALSE;
                list.iter().all(|e| {
                    let guard = scratch.import(&self.guards, e.guard, &|v| v, &mut memo);
                    let disjoint = !scratch.intersects(sum, guard);
                    sum = scratch.or(sum, guard);
                    disjoint
                })
            })
    }

    /// Whether every word has at least one run.
    pub fn is_complete(&mut self) -> bool {
        let guards = &mut self.guards;
        !self.initial.is_empty()
            && self.edges.iter().all(|list| {
                list.iter().fold(Guard::FALSE, |sum, e| guards.or(sum, e.guard)) == Guard::TRUE
            })
    }

    /// The marks of a state of a state-based automaton.
    pub fn state_marks(&self, state: StateId) -> Marks {
        self.edges[state.index()].first().map_or(Marks::NONE, |e| e.marks)
    }

    /// The automaton with at most one initial state; a new one replaces several.
    pub fn with_single_initial(mut self) -> Self {
        if self.initial.len() > 1 {
            let fresh = self.add_state();
            let mut edges: Vec<Edge> = Vec::new();
            for q in &self.initial {
                // The first step is taken once, so its marks do not matter; equal marks keep a
                // state-based automaton state-based.
                edges.extend(
                    self.edges[q.index()].iter().map(|e| Edge { marks: Marks::NONE, ..*e }),
                );
            }
            self.edges[fresh.index()] = edges;
            self.initial = vec![fresh];
            self.merge_edges();
            self.retain_reachable();
        }
        self
    }

    /// The size of the automaton.
    pub fn stats(&self) -> Stats {
        Stats {
            states: self.state_count(),
            edges: self.edge_count(),
            acceptance_sets: self.sets,
            deterministic: self.is_deterministic(),
        }
    }
}

/// The size of an automaton. Edges with equal source, target and marks count once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Number of states.
    pub states: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of acceptance sets.
    pub acceptance_sets: u32,
    /// Whether every word has at most one run.
    pub deterministic: bool,
}

/// States, edges, acceptance sets, and 1 if deterministic else 0, separated by tabs.
impl std::fmt::Display for Stats {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Stats { states, edges, acceptance_sets, deterministic } = self;
        write!(out, "{states}\t{edges}\t{acceptance_sets}\t{}", u8::from(*deterministic))
    }
}
