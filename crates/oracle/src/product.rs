//! The graph of a program joined with the automaton of forbidden runs, node by node.

use crate::component::{Written, WrittenEdge};
use crate::graph::Graph;
use model::system::Move;
use omega::automaton::{Marks, Tgba};
use search::liveness::fairness::{Actor, Fairness};
use std::collections::{BTreeSet, HashMap};

/// All nodes that can be reached.
#[derive(Debug)]
pub struct Product<'g> {
    graph: &'g Graph,
    /// By node: the state of the program.
    states: Vec<usize>,
    initial: Vec<usize>,
    /// By node: marks, which of the state's steps, and where they lead.
    edges: Vec<Vec<(u64, usize, usize)>>,
    all_marks: u64,
}

impl<'g> Product<'g> {
    /// Nothing if there are more than `most` nodes. `letters` has the values of the automaton's atoms, by state of the program.
    pub fn new(
        graph: &'g Graph,
        letters: &[Vec<bool>],
        automaton: &Tgba,
        most: usize,
    ) -> Option<Product<'g>> {
        let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        let mut number = |node: (usize, usize), nodes: &mut Vec<(usize, usize)>| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        let starts = automaton.initial.iter();
        let starts = starts.flat_map(|at| (0..graph.initial).map(|state| (state, at.index())));
        let initial = starts.map(|start| number(start, &mut nodes)).collect();
        let mut edges = Vec::new();
        while edges.len() < nodes.len() {
            let (state, at) = nodes[edges.len()];
            let mut list = Vec::new();
            for edge in &automaton.edges[at] {
                if !automaton.guards.holds(edge.guard, |atom| letters[state][atom as usize]) {
                    continue;
                }
                for (place, step) in graph.steps[state].iter().enumerate() {
                    let target = number((step.target, edge.target.index()), &mut nodes);
                    list.push((edge.marks.0, place, target));
                }
            }
            edges.push(list);
            if nodes.len() > most {
                return None;
            }
        }
        let states = nodes.into_iter().map(|(state, _)| state).collect();
        Some(Product { graph, states, initial, edges, all_marks: Marks::all(automaton.sets).0 })
    }

    /// Is there a forbidden run, among all or among those that are fair?
    pub fn has_run(&self, fairness: Option<Fairness>) -> bool {
        let written = self.written(fairness);
        written.has_cycle(self.all_marks, fairness.map(|fairness| fairness.strength))
    }

    /// The length of a shortest lasso that is forbidden, and fair if that is asked, if it has fewer steps than this: prefix and cycle together. Nothing is said if that is too much `work`.
    pub fn shortest(&self, length: usize, fairness: Option<Fairness>, work: usize) -> Option<Option<usize>> {
        let strength = fairness.map(|fairness| fairness.strength);
        self.written(fairness).shortest(self.all_marks, strength, length, work)
    }

    /// Its nodes, with who moves if that matters.
    fn written(&self, fairness: Option<Fairness>) -> Written {
        let actor = fairness.map_or(Actor::Process, |fairness| fairness.actor);
        let mut numbers = HashMap::new();
        let mut named = |moves: &[Move]| -> BTreeSet<usize> {
            moves
                .iter()
                .map(|taken| {
                    // A process is who it is whatever it does.
                    let what = (taken.process_type, taken.location, taken.transition);
                    let next = numbers.len();
                    let name = (taken.pid, (actor == Actor::Transition).then_some(what));
                    *numbers.entry(name).or_insert(next)
                })
                .collect()
        };
        let enabled: Vec<_> = self.graph.enabled.iter().map(|moves| named(moves)).collect();
        let movers: Vec<Vec<_>> = self
            .graph
            .steps
            .iter()
            .map(|steps| steps.iter().map(|step| named(&step.moves)).collect())
            .collect();
        let edges = self.edges.iter().zip(&self.states).map(|(list, &state)| {
            let edge = |&(marks, place, target): &(u64, usize, usize)| {
                let movers = if fairness.is_some() { movers[state][place].clone() } else { BTreeSet::new() };
                WrittenEdge { marks, movers, target }
            };
            list.iter().map(edge).collect()
        });
        Written {
            initial: self.initial.clone(),
            edges: edges.collect(),
            enabled: self.states.iter().map(|&state| enabled[state].clone()).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}
