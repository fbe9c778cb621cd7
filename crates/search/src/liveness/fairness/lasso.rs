//! The construction of a fair lasso through a part of the graph that is known to contain a fair
//! cycle.
//!
//! The cycle is built greedily: by a shortest path to an edge with a missing mark, to a move of an
//! actor that must still move, or to a node where such an actor is not enabled. It is then
//! shortened while it stays accepting and fair.

use super::Strength;
use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::fairness::cycle_tally::CycleTally;
use crate::liveness::fairness::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use crate::liveness::{Graph, Node, lasso};
use crate::tuning::liveness::FAIR_SHORTENING_ATTEMPTS;
use std::collections::{HashMap, VecDeque};

/// Precondition: the nodes `inside` are reachable and strongly connected, and a run that takes all
/// edges between them forever is accepting and fair.
pub fn fair_lasso<G: FairGraph>(
    graph: &mut G,
    initial: &[Node],
    inside: impl Fn(Node) -> bool,
    strength: Strength,
) -> Result<FairLasso, G::Error> {
    let path = lasso::shortest_path(graph, initial, &inside)?.expect("the part can be reached");
    let start = *path.last().expect("a path has a last node");
    let mut walk = FairWalk {
        graph,
        inside,
        strength,
        steps: Vec::new(),
        tally: CycleTally::default(),
        here: start,
    };
    walk.walk_until_fair()?;
    while walk.here != start || walk.steps.is_empty() {
        walk.walk_to(|_, edge| edge.edge.target == start)?;
        // Further actors may be enabled on the path back.
        walk.walk_until_fair()?;
    }
    let mut cycle = walk.steps;
    shorten(graph, &mut cycle, strength)?;
    // The shorter cycle may be entered at another node.
    let wanted = |node| cycle.iter().any(|step| step.node == node);
    let mut path = lasso::shortest_path(graph, initial, wanted)?.expect("the cycle can be reached");
    let entry = path.pop().expect("a path has a last node");
    let place = cycle.iter().position(|step| step.node == entry).unwrap_or(0);
    cycle.rotate_left(place);
    let mut prefix = Vec::with_capacity(path.len());
    for (index, &node) in path.iter().enumerate() {
        let next = path.get(index + 1).copied().unwrap_or(entry);
        let mut edges = Vec::new();
        graph.successors(node, &mut edges)?;
        let edge =
            edges.iter().position(|edge| edge.target == next).expect("the path follows edges");
        prefix.push(LassoStep { node, edge });
    }
    Ok(FairLasso { prefix, cycle })
}

struct FairWalk<'g, G: Graph, I> {
    graph: &'g mut G,
    inside: I,
    strength: Strength,
    steps: Vec<LassoStep>,
    tally: CycleTally,
    here: Node,
}

impl<G: FairGraph, I: Fn(Node) -> bool> FairWalk<'_, G, I> {
    fn walk_until_fair(&mut self) -> Result<(), G::Error> {
        let mut edges = Vec::new();
        let mut enabled = ActorSet::new();
        loop {
            // The current node counts as well, since the cycle returns to it.
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
            self.walk_to(|enabled, edge| {
                edge.edge.marks & missing != 0
                    || edge.movers.intersects(&owed)
                    || weak && !owed.is_subset(enabled)
            })?;
        }
    }

    /// Follows a shortest path whose last edge is `wanted`, given the actors that are enabled at
    /// its source.
    fn walk_to(&mut self, wanted: impl Fn(&ActorSet, &FairEdge) -> bool) -> Result<(), G::Error> {
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
                    add_steps(self.graph, &steps, &mut self.tally)?;
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

/// Adds the nodes and edges of these steps to a tally.
fn add_steps<G: FairGraph>(
    graph: &mut G,
    steps: &[LassoStep],
    tally: &mut CycleTally,
) -> Result<(), G::Error> {
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

/// Removes parts between two visits of a node, the longest first, while the rest is accepting and
/// fair.
fn shorten<G: FairGraph>(
    graph: &mut G,
    cycle: &mut Vec<LassoStep>,
    strength: Strength,
) -> Result<(), G::Error> {
    // The contribution of each step, so that each node is expanded once.
    let mut parts = Vec::with_capacity(cycle.len());
    for step in cycle.iter() {
        let mut tally = CycleTally::default();
        add_steps(graph, &[*step], &mut tally)?;
        parts.push(tally);
    }
    let mut attempts = 0;
    let mut from = 0;
    while from < cycle.len() && attempts < FAIR_SHORTENING_ATTEMPTS {
        let again = (from + 1..cycle.len()).rev().filter(|&to| cycle[to].node == cycle[from].node);
        let mut cut = None;
        for to in again {
            attempts += 1;
            let mut rest = CycleTally::default();
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
