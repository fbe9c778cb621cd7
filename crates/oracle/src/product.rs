//! The product of a program's graph with the automaton of forbidden runs.

use crate::component::{ExplicitEdge, ExplicitGraph};
use crate::graph::Graph;
use lariat_ir::system::Move;
use lariat_ltl::automaton::{Marks, Tgba};
use lariat_search::liveness::fairness::{Actor, Fairness};
use std::collections::{BTreeSet, HashMap};

/// The position of the program: an observed state, or a state inside an atomic sequence that began
/// in one.
type Position = (usize, Option<usize>);

/// All reachable nodes of the product.
#[derive(Debug)]
pub struct Product<'g> {
    graph: &'g Graph,
    /// By node: the position of the program.
    positions: Vec<Position>,
    initial: Vec<usize>,
    /// By node: the marks, the index of the position's step, and the target.
    edges: Vec<Vec<(u64, usize, usize)>>,
    all_marks: u64,
}

/// The steps from a position, those that stay inside a sequence last: all moves, and the target.
fn steps(graph: &Graph, position: Position) -> Vec<(&[Move], Position)> {
    let (state, within) = position;
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
    /// `None` if there are more than `most` nodes. `letters` has the values of the automaton's
    /// atoms, by state of the program. Inside an endless atomic sequence, the automaton reads the
    /// letter of the state before it repeatedly.
    pub fn new(
        graph: &'g Graph,
        letters: &[Vec<bool>],
        automaton: &Tgba,
        most: usize,
    ) -> Option<Product<'g>> {
        let mut numbers: HashMap<(Position, usize), usize> = HashMap::new();
        let mut nodes: Vec<(Position, usize)> = Vec::new();
        let mut number = |node: (Position, usize), nodes: &mut Vec<(Position, usize)>| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        let starts = automaton.initial.iter();
        let starts =
            starts.flat_map(|at| (0..graph.initial).map(|state| ((state, None), at.index())));
        let initial = starts.map(|start| number(start, &mut nodes)).collect();
        let mut edges = Vec::new();
        while edges.len() < nodes.len() {
            let (position, at) = nodes[edges.len()];
            let mut list = Vec::new();
            for edge in &automaton.edges[at] {
                if !automaton.guards.holds(edge.guard, |atom| letters[position.0][atom as usize]) {
                    continue;
                }
                for (step, (_, target)) in steps(graph, position).into_iter().enumerate() {
                    let target = number((target, edge.target.index()), &mut nodes);
                    list.push((edge.marks.0, step, target));
                }
            }
            edges.push(list);
            if nodes.len() > most {
                return None;
            }
        }
        let positions = nodes.into_iter().map(|(position, _)| position).collect();
        Some(Product { graph, positions, initial, edges, all_marks: Marks::all(automaton.sets).0 })
    }

    /// Is there a forbidden run, among all runs or among the fair ones?
    pub fn has_run(&self, fairness: Option<Fairness>) -> bool {
        let explicit_graph = self.explicit_graph(fairness);
        explicit_graph.has_cycle(self.all_marks, fairness.map(|fairness| fairness.strength))
    }

    /// The length of a shortest forbidden lasso, prefix and cycle together, that is fair, if
    /// fairness is given; if it has fewer steps than `length`. `None` if that takes more than
    /// `work` steps.
    pub fn shortest(
        &self,
        length: usize,
        fairness: Option<Fairness>,
        work: usize,
    ) -> Option<Option<usize>> {
        let strength = fairness.map(|fairness| fairness.strength);
        self.explicit_graph(fairness).shortest(self.all_marks, strength, length, work)
    }

    /// The product as a graph, with the actors if fairness is given.
    fn explicit_graph(&self, fairness: Option<Fairness>) -> ExplicitGraph {
        let actor = fairness.map_or(Actor::Process, |fairness| fairness.actor);
        let mut numbers = HashMap::new();
        let mut named = |moves: &[Move]| -> BTreeSet<usize> {
            moves
                .iter()
                .map(|taken| {
                    // A process is one actor whatever it does.
                    let what = (taken.process_type, taken.location, taken.transition);
                    let next = numbers.len();
                    let name = (taken.pid, (actor == Actor::Transition).then_some(what));
                    *numbers.entry(name).or_insert(next)
                })
                .collect()
        };
        let enabled = |&(state, within): &Position| match (&self.graph.inside[state], within) {
            (Some(inside), Some(at)) => &inside.enabled[at][..],
            _ => &self.graph.enabled[state][..],
        };
        let enabled: Vec<_> =
            self.positions.iter().map(|position| named(enabled(position))).collect();
        let mut edges = Vec::new();
        for (list, &position) in self.edges.iter().zip(&self.positions) {
            let steps = steps(self.graph, position);
            let edge = |&(marks, step, target): &(u64, usize, usize)| {
                let movers =
                    if fairness.is_some() { named(steps[step].0) } else { BTreeSet::new() };
                ExplicitEdge { marks, movers, target }
            };
            edges.push(list.iter().map(edge).collect());
        }
        ExplicitGraph { initial: self.initial.clone(), edges, enabled }
    }

    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
