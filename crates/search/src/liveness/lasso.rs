//! Ways through a graph, shortest first: the pieces of a lasso once it is known that there is one, through nodes that were met already. So looking for one
//! costs no more than the search did, and no limit ends it.

use super::graph::{Edge, Graph, Lasso, Node};
use std::collections::{HashMap, VecDeque};

/// A shortest way from one of `sources` to a node that is wanted, both ends included.
pub(crate) fn way<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    wanted: impl Fn(Node) -> bool,
) -> Result<Option<Vec<Node>>, G::Stop> {
    if let Some(&source) = sources.iter().find(|&&source| wanted(source)) {
        return Ok(Some(vec![source]));
    }
    let found = breadth_first(graph, sources, |_| true, |edge| wanted(edge.target))?;
    Ok(found.map(|(mut nodes, edge)| {
        nodes.push(edge.target);
        nodes
    }))
}

/// The same lasso with a way to it, if it does not begin in an initial node.
pub(super) fn from_start<G: Graph>(graph: &mut G, mut lasso: Lasso) -> Result<Lasso, G::Stop> {
    let first = lasso.prefix.first().or(lasso.cycle.first()).copied();
    let initial = graph.initial()?;
    if let Some(mut nodes) = way(graph, &initial, |node| Some(node) == first)? {
        nodes.pop();
        lasso.prefix.splice(..0, nodes);
    }
    Ok(lasso)
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
    let mut before: HashMap<Node, Option<Node>> = sources.iter().map(|&source| (source, None)).collect();
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
