//! Ways through a graph, shortest first: the pieces of a lasso once it is known that there is one, through nodes that were met already. So looking for one
//! costs no more than the search did, and no limit ends it.

use super::graph::{Edge, Graph, Lasso, Node};
use super::levels::{self, Bounds};
use rapidhash::RapidHashMap;
use std::collections::VecDeque;

/// A shortest way from one of `sources` to a node that is wanted, both ends included.
pub(crate) fn way<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    wanted: impl Fn(Node) -> bool,
) -> Result<Option<Vec<Node>>, G::Stop> {
    way_within(graph, sources, |_, _| true, wanted)
}

/// The same, all nodes between the ends being `inside`.
fn way_within<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    inside: impl Fn(&G, Node) -> bool,
    wanted: impl Fn(Node) -> bool,
) -> Result<Option<Vec<Node>>, G::Stop> {
    graph.lift_limits();
    let met = graph.numbers();
    let inside = |graph: &G, node: Node| u64::from(node) < met && inside(graph, node);
    levels::way(graph, sources, inside, wanted, Bounds::NONE)
}

/// The same cycle with a shortest way to any node of the lasso, if it does not begin in an initial node.
pub(super) fn from_start<G: Graph>(graph: &mut G, lasso: Lasso) -> Result<Lasso, G::Stop> {
    let initial = graph.initial()?;
    from_sources(graph, &initial, lasso)
}

/// The same, if it does not begin in one of `sources`.
pub(super) fn from_sources<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    mut lasso: Lasso,
) -> Result<Lasso, G::Stop> {
    let nodes = lasso.prefix.iter().chain(&lasso.cycle);
    let places: RapidHashMap<Node, usize> = nodes.enumerate().map(|(place, node)| (*node, place)).collect();
    let wanted = |node| places.contains_key(&node);
    // Most often there is a way through passing nodes, and these are fewer.
    let mut found = way_within(graph, sources, Graph::is_passing, wanted)?;
    if found.is_none() {
        found = way(graph, sources, wanted)?;
    }
    let Some(mut nodes) = found else { return Ok(lasso) };
    let place = nodes.pop().and_then(|node| places.get(&node)).copied().unwrap_or(0);
    match place.checked_sub(lasso.prefix.len()) {
        None => nodes.extend_from_slice(&lasso.prefix[place..]),
        Some(place) => lasso.cycle.rotate_left(place),
    }
    Ok(Lasso { prefix: nodes, cycle: lasso.cycle })
}

/// A shortest way from one node to another, within nodes that are `inside`; without the first, with the last.
///
/// Precondition: there is one.
pub(super) fn way_inside<G: Graph>(
    graph: &mut G,
    source: Node,
    target: Node,
    inside: impl Fn(Node) -> bool,
) -> Result<Vec<Node>, G::Stop> {
    let found = breadth_first(graph, &[source], inside, |edge| edge.target == target)?;
    let (mut nodes, edge) = found.expect("the component is strong");
    nodes.push(edge.target);
    Ok(nodes.split_off(1))
}

/// A shortest way from one of `sources`, within nodes that are `inside`, whose last edge is wanted: its nodes but the last, and
/// that edge.
fn breadth_first<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    inside: impl Fn(Node) -> bool,
    wanted: impl Fn(&Edge) -> bool,
) -> Result<Option<(Vec<Node>, Edge)>, G::Stop> {
    graph.lift_limits();
    let met = graph.numbers();
    let mut before: RapidHashMap<Node, Option<Node>> = sources.iter().map(|&source| (source, None)).collect();
    let mut queue: VecDeque<Node> = sources.iter().copied().collect();
    let mut edges = Vec::new();
    while let Some(node) = queue.pop_front() {
        edges.clear();
        graph.successors(node, &mut edges)?;
        for &edge in edges.iter().filter(|edge| u64::from(edge.target) < met && inside(edge.target)) {
            if wanted(&edge) {
                let mut nodes = vec![node];
                let mut last = node;
                while let Some(Some(previous)) = before.get(&last) {
                    nodes.push(*previous);
                    last = *previous;
                }
                nodes.reverse();
                return Ok(Some((nodes, edge)));
            }
            before.entry(edge.target).or_insert_with(|| {
                queue.push_back(edge.target);
                Some(node)
            });
        }
    }
    Ok(None)
}

/// A lasso into a strong component whose edges together have all marks.
///
/// Precondition: `inside` is such a component (or a part of it that is strong itself and has all marks), and `prefix` a way
/// from an initial node to one of its nodes, that node included.
pub(super) fn through_component<G: Graph>(
    graph: &mut G,
    mut prefix: Vec<Node>,
    inside: impl Fn(Node) -> bool,
) -> Result<Lasso, G::Stop> {
    let start = prefix.pop().expect("the way has a last node");
    let mut cycle: Vec<Node> = Vec::new();
    let mut missing = graph.all_marks();
    let mut here = start;
    while missing != 0 {
        let found = breadth_first(graph, &[here], &inside, |edge| edge.marks & missing != 0)?;
        let (nodes, edge) = found.expect("an edge of the component has the mark");
        missing &= !edge.marks;
        cycle.extend(nodes);
        here = edge.target;
    }
    if here != start || cycle.is_empty() {
        cycle.push(here);
        cycle.extend(way_inside(graph, here, start, &inside)?);
        cycle.pop();
    }
    Ok(Lasso { prefix, cycle })
}
