//! The graph of a program joined with the automaton of forbidden runs, node by node.

use crate::component::{Written, WrittenEdge};
use crate::graph::Graph;
use model::system::Move;
use omega::automaton::{Marks, Tgba};
use search::liveness::fairness::{Actor, Fairness};
use std::collections::{BTreeSet, HashMap};

/// Where the program is: in a state where the property looks, or inside an atomic sequence that began in one.
type Place = (usize, Option<usize>);

/// All nodes that can be reached.
#[derive(Debug)]
pub struct Product<'g> {
    graph: &'g Graph,
    /// By node: the state of the program.
    places: Vec<Place>,
    initial: Vec<usize>,
    /// By node: marks, which of the place's steps, and where they lead.
    edges: Vec<Vec<(u64, usize, usize)>>,
    all_marks: u64,
}

/// The steps from a place, those that stay inside a sequence last: all who move, and where it leads.
fn steps(graph: &Graph, place: Place) -> Vec<(&[Move], Place)> {
    let (state, within) = place;
    let inner = match (&graph.inside[state], within) {
        (None, _) => &[][..],
        (Some(inside), None) => &inside.entries[..],
        (Some(inside), Some(at)) => &inside.steps[at][..],
    };
    let inner = inner.iter().map(|(moves, target)| (&moves[..], (state, Some(*target))));
    let outer = graph.steps[state].iter().filter(|_| within.is_none());
    outer.map(|step| (&step.moves[..], (step.target, None))).chain(inner).collect()
}

impl<'g> Product<'g> {
    /// Nothing if there are more than `most` nodes. `letters` has the values of the automaton's atoms, by state of the program. Inside an atomic
    /// sequence that never ends, the automaton reads the letter of the state before it, again and again.
    pub fn new(
        graph: &'g Graph,
        letters: &[Vec<bool>],
        automaton: &Tgba,
        most: usize,
    ) -> Option<Product<'g>> {
        let mut numbers: HashMap<(Place, usize), usize> = HashMap::new();
        let mut nodes: Vec<(Place, usize)> = Vec::new();
        let mut number = |node: (Place, usize), nodes: &mut Vec<(Place, usize)>| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        let starts = automaton.initial.iter();
        let starts = starts.flat_map(|at| (0..graph.initial).map(|state| ((state, None), at.index())));
        let initial = starts.map(|start| number(start, &mut nodes)).collect();
        let mut edges = Vec::new();
        while edges.len() < nodes.len() {
            let (place, at) = nodes[edges.len()];
            let mut list = Vec::new();
            for edge in &automaton.edges[at] {
                if !automaton.guards.holds(edge.guard, |atom| letters[place.0][atom as usize]) {
                    continue;
                }
                for (step, (_, target)) in steps(graph, place).into_iter().enumerate() {
                    let target = number((target, edge.target.index()), &mut nodes);
                    list.push((edge.marks.0, step, target));
                }
            }
            edges.push(list);
            if nodes.len() > most {
                return None;
            }
        }
        let places = nodes.into_iter().map(|(place, _)| place).collect();
        Some(Product { graph, places, initial, edges, all_marks: Marks::all(automaton.sets).0 })
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
        let enabled = |&(state, within): &Place| match (&self.graph.inside[state], within) {
            (Some(inside), Some(at)) => &inside.enabled[at][..],
            _ => &self.graph.enabled[state][..],
        };
        let enabled: Vec<_> = self.places.iter().map(|place| named(enabled(place))).collect();
        let mut edges = Vec::new();
        for (list, &place) in self.edges.iter().zip(&self.places) {
            let steps = steps(self.graph, place);
            let edge = |&(marks, step, target): &(u64, usize, usize)| {
                let movers = if fairness.is_some() { named(steps[step].0) } else { BTreeSet::new() };
                WrittenEdge { marks, movers, target }
            };
            edges.push(list.iter().map(edge).collect());
        }
        Written { initial: self.initial.clone(), edges, enabled }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}
