//! Fair lassos: a cycle through a part of the graph in which a fair one is known to exist.
//!
//! The cycle is walked greedily: to the nearest edge with a missing mark, or by someone who is owed a move, or to a node that takes
//! the claim away. Then it is made shorter, as long as it stays accepting and fair.

use super::Strength;
use super::actors::ActorSet;
use super::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use super::tally::Tally;
use crate::liveness::{Graph, Node, lasso};
use std::collections::{HashMap, VecDeque};

/// How many shortenings of a cycle are tried.
const TRIALS: usize = 4000;

/// Precondition: the nodes `inside` are strongly connected, can be reached, and walking all their edges is accepting and fair.
pub fn fair_lasso<G: FairGraph>(
    graph: &mut G,
    initial: &[Node],
    inside: impl Fn(Node) -> bool,
    strength: Strength,
) -> Result<FairLasso, G::Stop> {
    let way = lasso::way(graph, initial, &inside)?.expect("the part can be reached");
    let start = *way.last().expect("a way has a last node");
    let mut walk = Walk { graph, inside, strength, steps: Vec::new(), tally: Tally::default(), here: start };
    walk.until_fair()?;
    while walk.here != start || walk.steps.is_empty() {
        walk.go(|_, edge| edge.edge.target == start)?;
        // The way back may have met nodes where others are enabled.
        walk.until_fair()?;
    }
    let mut cycle = walk.steps;
    shorten(graph, &mut cycle, strength)?;
    // The shorter cycle may be left for, or entered at, another node.
    let wanted = |node| cycle.iter().any(|step| step.node == node);
    let mut way = lasso::way(graph, initial, wanted)?.expect("the cycle can be reached");
    let entry = way.pop().expect("a way has a last node");
    let place = cycle.iter().position(|step| step.node == entry).unwrap_or(0);
    cycle.rotate_left(place);
    let mut prefix = Vec::with_capacity(way.len());
    for (index, &node) in way.iter().enumerate() {
        let next = way.get(index + 1).copied().unwrap_or(entry);
        let mut edges = Vec::new();
        graph.successors(node, &mut edges)?;
        let edge = edges.iter().position(|edge| edge.target == next).expect("the way follows edges");
        prefix.push(LassoStep { node, edge });
    }
    Ok(FairLasso { prefix, cycle })
}

struct Walk<'g, G: Graph, I> {
    graph: &'g mut G,
    inside: I,
    strength: Strength,
    steps: Vec<LassoStep>,
    tally: Tally,
    here: Node,
}

impl<G: FairGraph, I: Fn(Node) -> bool> Walk<'_, G, I> {
    fn until_fair(&mut self) -> Result<(), G::Stop> {
        let mut edges = Vec::new();
        let mut enabled = ActorSet::new();
        loop {
            // Where one stands counts as well: the cycle will come here again.
            edges.clear();
            self.graph.expand(self.here, &mut edges, &mut enabled)?;
            self.tally.node(&enabled);
            let all_marks = self.graph.all_marks();
            if self.tally.is_fair(self.strength, all_marks) {
                return Ok(());
            }
            let owed = self.tally.owed(self.strength);
            let missing = all_marks & !self.tally.marks;
            let weak = self.strength == Strength::Weak;
            self.go(|enabled, edge| {
                edge.edge.marks & missing != 0
                    || edge.movers.intersects(&owed)
                    || weak && !owed.is_subset(enabled)
            })?;
        }
    }

    /// Takes a shortest way whose last edge is wanted, judged by who is enabled where it begins.
    fn go(&mut self, wanted: impl Fn(&ActorSet, &FairEdge) -> bool) -> Result<(), G::Stop> {
        let mut before: HashMap<Node, Option<LassoStep>> = HashMap::from([(self.here, None)]);
        let mut queue = VecDeque::from([self.here]);
        let mut edges: Vec<FairEdge> = Vec::new();
        let mut enabled = ActorSet::new();
        while let Some(node) = queue.pop_front() {
            edges.clear();
            self.graph.expand(node, &mut edges, &mut enabled)?;
            for (index, edge) in edges.iter().enumerate() {
                let step = LassoStep { node, edge: index };
                if !(self.inside)(edge.edge.target) {
                    continue;
                }
                if wanted(&enabled, edge) {
                    let mut steps = vec![step];
                    let mut last = node;
                    while let Some(Some(previous)) = before.get(&last) {
                        steps.push(*previous);
                        last = previous.node;
                    }
                    steps.reverse();
                    note(self.graph, &steps, &mut self.tally)?;
                    self.steps.extend(steps);
                    self.here = edge.edge.target;
                    return Ok(());
                }
                before.entry(edge.edge.target).or_insert_with(|| {
                    queue.push_back(edge.edge.target);
                    Some(step)
                });
            }
        }
        unreachable!("walking the whole part is fair, and it is strongly connected")
    }
}

/// Adds what is seen on these steps.
fn note<G: FairGraph>(graph: &mut G, steps: &[LassoStep], tally: &mut Tally) -> Result<(), G::Stop> {
    let mut edges = Vec::new();
    let mut enabled = ActorSet::new();
    for step in steps {
        edges.clear();
        graph.expand(step.node, &mut edges, &mut enabled)?;
        tally.node(&enabled);
        tally.edge(&edges[step.edge]);
    }
    Ok(())
}

/// Cuts out rounds between two visits of a node, the longest first, while the rest is accepting and fair.
fn shorten<G: FairGraph>(
    graph: &mut G,
    cycle: &mut Vec<LassoStep>,
    strength: Strength,
) -> Result<(), G::Stop> {
    // What each step adds, so that the graph is asked once.
    let mut parts = Vec::with_capacity(cycle.len());
    for step in cycle.iter() {
        let mut tally = Tally::default();
        note(graph, &[*step], &mut tally)?;
        parts.push(tally);
    }
    let mut trials = 0;
    let mut from = 0;
    while from < cycle.len() && trials < TRIALS {
        let again = (from + 1..cycle.len()).rev().filter(|&to| cycle[to].node == cycle[from].node);
        let mut cut = None;
        for to in again {
            trials += 1;
            let mut rest = Tally::default();
            parts[..from].iter().chain(&parts[to..]).for_each(|part| rest.merge(part));
            if rest.is_fair(strength, graph.all_marks()) {
                cut = Some(to);
                break;
            }
        }
        match cut {
            Some(to) => {
                cycle.drain(from..to);
                parts.drain(from..to);
            }
            None => from += 1,
        }
    }
    Ok(())
}
