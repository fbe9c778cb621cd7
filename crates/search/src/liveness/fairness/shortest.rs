//! A fair lasso than which none is shorter, prefix and cycle together.
//!
//! Nodes are tried in the order of their distance, each with a breadth-first search for a cycle through it that is short enough to be an improvement. The
//! search remembers beside a node what was seen on the way (marks, who moved, who was enabled), so it may visit a node many times; the length that is
//! already known bounds it.

use super::Strength;
use super::actors::ActorSet;
use super::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use super::tally::Tally;
use crate::liveness::Node;
use std::collections::{HashMap, HashSet, VecDeque};

/// Precondition: the lasso is accepting and fair.
pub fn shortest<G: FairGraph>(
    graph: &mut G,
    lasso: FairLasso,
    strength: Strength,
) -> Result<FairLasso, G::Stop> {
    let mut best = lasso;
    let initial = graph.initial()?;
    // By node: the step by which it was first met.
    let mut before: HashMap<Node, Option<LassoStep>> = initial.iter().map(|&node| (node, None)).collect();
    let mut queue: VecDeque<(Node, usize)> = initial.iter().map(|&node| (node, 0)).collect();
    let mut edges: Vec<FairEdge> = Vec::new();
    let mut enabled = ActorSet::new();
    while let Some((node, distance)) = queue.pop_front() {
        let room = (best.prefix.len() + best.cycle.len()).saturating_sub(distance + 1);
        if room == 0 {
            break;
        }
        if let Some(cycle) = cycle_through(graph, node, room, strength)? {
            let mut prefix = Vec::with_capacity(distance);
            let mut last = node;
            while let Some(Some(step)) = before.get(&last) {
                prefix.push(*step);
                last = step.node;
            }
            prefix.reverse();
            best = FairLasso { prefix, cycle };
        }
        edges.clear();
        graph.expand(node, &mut edges, &mut enabled)?;
        for (index, edge) in edges.iter().enumerate() {
            before.entry(edge.edge.target).or_insert_with(|| {
                queue.push_back((edge.edge.target, distance + 1));
                Some(LassoStep { node, edge: index })
            });
        }
    }
    Ok(best)
}

/// A node of a way, and what was seen before it.
#[derive(Clone)]
struct Place {
    node: Node,
    seen: Tally,
    /// From which place, and by which step.
    before: Option<(usize, LassoStep)>,
}

/// A shortest accepting and fair cycle through a node, of at most `longest` edges.
fn cycle_through<G: FairGraph>(
    graph: &mut G,
    start: Node,
    longest: usize,
    strength: Strength,
) -> Result<Option<Vec<LassoStep>>, G::Stop> {
    // In the order in which they were met.
    let mut places = vec![Place { node: start, seen: Tally::default(), before: None }];
    let mut known: HashSet<(Node, Tally)> = HashSet::from([(start, Tally::default())]);
    let mut level_end = 1;
    let mut length = 0;
    let mut edges: Vec<FairEdge> = Vec::new();
    let mut enabled = ActorSet::new();
    let mut next = 0;
    while next < places.len() && length < longest {
        let Place { node, seen, .. } = places[next].clone();
        edges.clear();
        graph.expand(node, &mut edges, &mut enabled)?;
        let mut here = seen;
        here.node(&enabled);
        for (index, edge) in edges.iter().enumerate() {
            let mut tally = here.clone();
            tally.edge(edge);
            let step = LassoStep { node, edge: index };
            if edge.edge.target == start && tally.is_fair(strength, graph.all_marks()) {
                let mut cycle = vec![step];
                let mut place = next;
                while let Some((earlier, step)) = places[place].before {
                    cycle.push(step);
                    place = earlier;
                }
                cycle.reverse();
                return Ok(Some(cycle));
            }
            if known.insert((edge.edge.target, tally.clone())) {
                places.push(Place { node: edge.edge.target, seen: tally, before: Some((next, step)) });
            }
        }
        next += 1;
        if next == level_end {
            level_end = places.len();
            length += 1;
        }
    }
    Ok(None)
}
