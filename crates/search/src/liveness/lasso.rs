//! Shortest paths for the reconstruction of a lasso that is known to exist. They pass through nodes
//! that are already visited, so they cost no more than the search did, and no limit applies.

use crate::liveness::breadth_first::{self, PathBounds};
use crate::liveness::graph::{Edge, Graph, Lasso, Node};
use rapidhash::RapidHashMap;
use std::collections::VecDeque;

/// A shortest path from one of `sources` to a node that is `wanted`, both ends included.
pub(crate) fn shortest_path<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    wanted: impl Fn(Node) -> bool,
) -> Result<Option<Vec<Node>>, G::Error> {
    path_through(graph, sources, |_, _| true, wanted)
}

/// A shortest path as above, whose inner nodes are all `inside`.
fn path_through<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    inside: impl Fn(&G, Node) -> bool,
    wanted: impl Fn(Node) -> bool,
) -> Result<Option<Vec<Node>>, G::Error> {
    graph.lift_limits();
    let known = graph.number_bound();
    let inside = |graph: &G, node: Node| u64::from(node) < known && inside(graph, node);
    breadth_first::bounded_shortest_path(graph, sources, inside, wanted, PathBounds::NONE)
}

/// The cycle with a shortest path from an initial node to any node of the lasso; the lasso itself
/// if it begins in an initial node.
pub(super) fn from_initial<G: Graph>(graph: &mut G, lasso: Lasso) -> Result<Lasso, G::Error> {
    let initial = graph.initial()?;
    from_sources(graph, &initial, lasso)
}

/// The cycle with a shortest path from one of `sources` to any node of the lasso.
pub(super) fn from_sources<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    mut lasso: Lasso,
) -> Result<Lasso, G::Error> {
    let nodes = lasso.prefix.iter().chain(&lasso.cycle);
    let positions: RapidHashMap<Node, usize> =
        nodes.enumerate().map(|(position, node)| (*node, position)).collect();
    let wanted = |node| positions.contains_key(&node);
    // Usually there is a path through rejecting nodes, which are fewer.
    let mut found = path_through(graph, sources, Graph::is_rejecting, wanted)?;
    if found.is_none() {
        found = shortest_path(graph, sources, wanted)?;
    }
    let Some(mut nodes) = found else { return Ok(lasso) };
    let position = nodes.pop().and_then(|node| positions.get(&node)).copied().unwrap_or(0);
    match position.checked_sub(lasso.prefix.len()) {
        None => nodes.extend_from_slice(&lasso.prefix[position..]),
        Some(position) => lasso.cycle.rotate_left(position),
    }
    Ok(Lasso { prefix: nodes, cycle: lasso.cycle })
}

/// A shortest path from one node to another through nodes that are `inside`, without the first
/// node. Precondition: there is one.
pub(super) fn path_inside<G: Graph>(
    graph: &mut G,
    source: Node,
    target: Node,
    inside: impl Fn(Node) -> bool,
) -> Result<Vec<Node>, G::Error> {
    let found = breadth_first(graph, &[source], inside, |edge| edge.target == target)?;
    let (mut nodes, edge) = found.expect("the component is strong");
    nodes.push(edge.target);
    Ok(nodes.split_off(1))
}

/// A shortest path from one of `sources`, through nodes that are `inside`, whose last edge is
/// `wanted`: its nodes except the last, and that edge.
fn breadth_first<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    inside: impl Fn(Node) -> bool,
    wanted: impl Fn(&Edge) -> bool,
) -> Result<Option<(Vec<Node>, Edge)>, G::Error> {
    graph.lift_limits();
    let known = graph.number_bound();
    let mut before: RapidHashMap<Node, Option<Node>> =
        sources.iter().map(|&source| (source, None)).collect();
    let mut queue: VecDeque<Node> = sources.iter().copied().collect();
    let mut edges = Vec::new();
    while let Some(node) = queue.pop_front() {
        edges.clear();
        graph.successors(node, &mut edges)?;
        for &edge in
            edges.iter().filter(|edge| u64::from(edge.target) < known && inside(edge.target))
        {
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
/// Precondition: `inside` is such a component, or a part of it that is strongly connected and has
/// all marks; `prefix` is a path from an initial node to one of its nodes, that node included.
pub(super) fn through_component<G: Graph>(
    graph: &mut G,
    mut prefix: Vec<Node>,
    inside: impl Fn(Node) -> bool,
) -> Result<Lasso, G::Error> {
    let start = prefix.pop().expect("the path has a last node");
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
        cycle.extend(path_inside(graph, here, start, &inside)?);
        cycle.pop();
    }
    Ok(Lasso { prefix, cycle })
}
