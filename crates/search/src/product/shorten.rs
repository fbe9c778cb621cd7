//! Shorter lassos, by breadth-first search around one that was found.

use crate::liveness::{Edge, Graph, Lasso, Node};
use rapidhash::RapidHashMap;
use std::collections::VecDeque;

/// Ways from one of `sources` over (node, marks seen) until `wanted`; the nodes of the way, the last one included. `None` if
/// there is none of at most `longest` edges, or `budget` is used up.
fn way<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    longest: usize,
    budget: &mut usize,
    collect: bool,
    wanted: impl Fn(Node, u64) -> bool,
) -> Result<Option<Vec<Node>>, G::Stop> {
    let mut before: RapidHashMap<(Node, u64), Option<(Node, u64)>> =
        sources.iter().map(|&source| ((source, 0), None)).collect();
    let mut queue: VecDeque<((Node, u64), usize)> = sources.iter().map(|&source| ((source, 0), 0)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    while let Some((place, length)) = queue.pop_front() {
        if length >= longest || *budget == 0 {
            return Ok(None);
        }
        *budget -= 1;
        edges.clear();
        graph.successors(place.0, &mut edges)?;
        for edge in &edges {
            let marks = if collect { place.1 | edge.marks } else { 0 };
            let next = (edge.target, marks);
            if wanted(next.0, next.1) {
                let mut nodes = vec![next.0, place.0];
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

/// A shortest cycle through a node whose edges have all marks, of at most `longest` edges.
fn cycle_through<G: Graph>(
    graph: &mut G,
    node: Node,
    longest: usize,
    budget: &mut usize,
) -> Result<Option<Vec<Node>>, G::Stop> {
    let all = graph.all_marks();
    let found = way(graph, &[node], longest, budget, true, |target, marks| target == node && marks == all)?;
    Ok(found.map(|mut nodes| {
        nodes.pop();
        nodes
    }))
}

/// A lasso that is no longer, found with so many expansions: the shortest way to the cycle, and the shortest cycle through the
/// node where it arrives.
pub(super) fn shorten<G: Graph>(graph: &mut G, lasso: Lasso, budget: usize) -> Result<Lasso, G::Stop> {
    let mut left = budget;
    let Lasso { mut prefix, mut cycle } = lasso;
    let initial = graph.initial()?;
    if let Some(start) = cycle.iter().position(|node| initial.contains(node)) {
        cycle.rotate_left(start);
        prefix.clear();
    } else {
        let found = way(graph, &initial, prefix.len(), &mut left, false, |node, _| cycle.contains(&node))?;
        if let Some(mut nodes) = found {
            let entry = nodes.pop();
            let start = cycle.iter().position(|node| Some(*node) == entry).unwrap_or(0);
            cycle.rotate_left(start);
            prefix = nodes;
        }
    }
    let entry = cycle[0];
    let mut left = budget;
    if let Some(shorter) = cycle_through(graph, entry, cycle.len(), &mut left)? {
        cycle = shorter;
    }
    Ok(Lasso { prefix, cycle })
}

/// A lasso than which none is shorter, prefix and cycle together: nodes are tried in the order of their distance, each with a cycle
/// that is short enough to be an improvement.
pub(super) fn shortest<G: Graph>(graph: &mut G, lasso: Lasso) -> Result<Lasso, G::Stop> {
    let mut best = shorten(graph, lasso, usize::MAX)?;
    let initial = graph.initial()?;
    let mut before: RapidHashMap<Node, Option<Node>> = initial.iter().map(|&node| (node, None)).collect();
    let mut queue: VecDeque<(Node, usize)> = initial.iter().map(|&node| (node, 0)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    while let Some((node, distance)) = queue.pop_front() {
        let room = (best.prefix.len() + best.cycle.len()).saturating_sub(distance + 1);
        if room == 0 {
            break;
        }
        if let Some(cycle) = cycle_through(graph, node, room, &mut { usize::MAX })? {
            let mut prefix = Vec::new();
            let mut last = node;
            while let Some(Some(previous)) = before.get(&last) {
                prefix.push(*previous);
                last = *previous;
            }
            prefix.reverse();
            best = Lasso { prefix, cycle };
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
