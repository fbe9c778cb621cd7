//! Shorter lassos, by breadth-first search around one that was found.

use crate::liveness::levels::{Bounds, way};
use crate::liveness::{Edge, Graph, Lasso, Node};
use rapidhash::{RapidHashMap, RapidHashSet};
use std::collections::VecDeque;

/// A shortest cycle through a node whose edges have all marks, of at most `longest` edges, found with so many expansions.
fn cycle_through<G: Graph>(
    graph: &mut G,
    node: Node,
    longest: usize,
    mut expansions: usize,
) -> Result<Option<Vec<Node>>, G::Stop> {
    let all = graph.all_marks();
    // How a node was reached, with which marks on the way.
    let mut before: RapidHashMap<(Node, u64), Option<(Node, u64)>> = RapidHashMap::default();
    before.insert((node, 0), None);
    let mut queue: VecDeque<((Node, u64), usize)> = VecDeque::from([((node, 0), 0)]);
    let mut edges: Vec<Edge> = Vec::new();
    while let Some((place, length)) = queue.pop_front() {
        if length >= longest || expansions == 0 {
            return Ok(None);
        }
        expansions -= 1;
        edges.clear();
        graph.successors(place.0, &mut edges)?;
        for edge in &edges {
            let next = (edge.target, place.1 | edge.marks);
            if next == (node, all) {
                let mut nodes = vec![place.0];
                let mut last = place;
                while let Some(Some(previous)) = before.get(&last) {
                    nodes.push(previous.0);
                    last = *previous;
                }
                nodes.reverse();
                return Ok(Some(nodes));
            }
            before.entry(next).or_insert_with(|| {
                queue.push_back((next, length + 1));
                Some(place)
            });
        }
    }
    Ok(None)
}

/// A lasso that is no longer, found with so many expansions: the shortest way to the cycle, and the shortest cycle through the
/// node where it arrives.
pub(super) fn shorten<G: Graph>(graph: &mut G, lasso: Lasso, budget: usize) -> Result<Lasso, G::Stop> {
    let Lasso { mut prefix, mut cycle } = lasso;
    let initial = graph.initial()?;
    let on_cycle: RapidHashSet<Node> = cycle.iter().copied().collect();
    let bounds = Bounds { longest: prefix.len(), expansions: budget };
    if let Some(mut nodes) = way(graph, &initial, |_, _| true, |node| on_cycle.contains(&node), bounds)? {
        let entry = nodes.pop();
        let start = cycle.iter().position(|node| Some(*node) == entry).unwrap_or(0);
        cycle.rotate_left(start);
        prefix = nodes;
    }
    if let Some(shorter) = cycle_through(graph, cycle[0], cycle.len(), budget)? {
        cycle = shorter;
    }
    Ok(Lasso { prefix, cycle })
}

/// A lasso than which none is shorter, prefix and cycle together. Lengths are tried from below, for there are more nodes to look at the longer a lasso may be, and the one that is
/// known may be much too long.
pub(super) fn shortest<G: Graph>(graph: &mut G, lasso: Lasso) -> Result<Lasso, G::Stop> {
    let known = shorten(graph, lasso, usize::MAX)?;
    let longest = known.prefix.len() + known.cycle.len() - 1;
    let mut bound = 0;
    while bound < longest {
        bound = longest.min(bound + bound / 4 + 1);
        if let Some(found) = shortest_within(graph, bound)? {
            return Ok(found);
        }
    }
    Ok(known)
}

/// A lasso than which none is shorter, if there is one of at most `longest` edges: nodes are tried in the order of their distance, each with a cycle
/// that is short enough to be an improvement.
fn shortest_within<G: Graph>(graph: &mut G, longest: usize) -> Result<Option<Lasso>, G::Stop> {
    let mut best: Option<Lasso> = None;
    let mut room_for = longest;
    let initial = graph.initial()?;
    let mut before: RapidHashMap<Node, Option<Node>> = initial.iter().map(|&node| (node, None)).collect();
    let mut queue: VecDeque<(Node, usize)> = initial.iter().map(|&node| (node, 0)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    while let Some((node, distance)) = queue.pop_front() {
        let room = room_for.saturating_sub(distance);
        if room == 0 {
            break;
        }
        if let Some(cycle) = cycle_through(graph, node, room, usize::MAX)? {
            let mut prefix = Vec::new();
            let mut last = node;
            while let Some(Some(previous)) = before.get(&last) {
                prefix.push(*previous);
                last = *previous;
            }
            prefix.reverse();
            room_for = prefix.len() + cycle.len() - 1;
            best = Some(Lasso { prefix, cycle });
        }
        edges.clear();
        graph.successors(node, &mut edges)?;
        for edge in &edges {
            before.entry(edge.target).or_insert_with(|| {
                queue.push_back((edge.target, distance + 1));
                Some(node)
            });
        }
    }
    Ok(best)
}
