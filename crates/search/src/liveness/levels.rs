//! A shortest way, found without remembering how each node was reached: nodes are visited level by level, many at once, so that the latency of memory is hidden, and
//! the way is read off backwards, by looking in one level after the other for a node that leads on.

use super::colors::Colors;
use super::graph::{Edge, Graph, Node};

/// So many nodes are expanded at once.
const BLOCK: usize = 24;
/// The color of a node that was met.
const MET: u8 = 1;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// No way has more edges.
    pub longest: usize,
    /// No more nodes are expanded on the way there.
    pub expansions: usize,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { longest: usize::MAX, expansions: usize::MAX };
}

/// A shortest way from one of `sources`, through nodes that are `inside`, to a node that is wanted, both ends included; `None` if there is none within the bounds.
pub(crate) fn way<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    inside: impl Fn(&G, Node) -> bool,
    wanted: impl Fn(Node) -> bool,
    mut bounds: Bounds,
) -> Result<Option<Vec<Node>>, G::Stop> {
    if let Some(&source) = sources.iter().find(|&&source| wanted(source)) {
        return Ok(Some(vec![source]));
    }
    let mut met = Colors::default();
    let mut nodes: Vec<Node> = sources.iter().copied().filter(|&source| met.mark(source, MET)).collect();
    // Where each level begins among the nodes.
    let mut levels = vec![0];
    let mut edges = Vec::new();
    while levels.len() <= bounds.longest {
        let (mut first, end) = (levels[levels.len() - 1], nodes.len());
        if first == end {
            break;
        }
        levels.push(end);
        while first < end {
            let block = first..end.min(first + BLOCK);
            match bounds.expansions.checked_sub(block.len()) {
                Some(left) => bounds.expansions = left,
                None => return Ok(None),
            }
            first = block.end;
            edges.clear();
            graph.successors_of(&nodes[block], &mut edges)?;
            for &Edge { target, .. } in &edges {
                if wanted(target) {
                    return backwards(graph, &nodes, &levels, target).map(Some);
                }
                if inside(graph, target) && met.mark(target, MET) {
                    nodes.push(target);
                }
            }
        }
    }
    Ok(None)
}

/// The way to a node that a node of the last level leads to.
fn backwards<G: Graph>(
    graph: &mut G,
    nodes: &[Node],
    levels: &[usize],
    target: Node,
) -> Result<Vec<Node>, G::Stop> {
    let mut way = vec![target];
    let mut goal = target;
    for level in levels.windows(2).rev() {
        for block in nodes[level[0]..level[1]].chunks(BLOCK) {
            if leads_to(graph, block, goal)? {
                goal = who_leads_to(graph, block, goal)?;
                break;
            }
        }
        way.push(goal);
    }
    way.reverse();
    Ok(way)
}

/// Does one of the nodes lead to the goal?
fn leads_to<G: Graph>(graph: &mut G, nodes: &[Node], goal: Node) -> Result<bool, G::Stop> {
    let mut edges = Vec::new();
    graph.successors_of(nodes, &mut edges)?;
    Ok(edges.iter().any(|edge| edge.target == goal))
}

/// The first of the nodes that leads to the goal. Precondition: one does.
fn who_leads_to<G: Graph>(graph: &mut G, nodes: &[Node], goal: Node) -> Result<Node, G::Stop> {
    for &node in nodes {
        if leads_to(graph, &[node], goal)? {
            return Ok(node);
        }
    }
    unreachable!("a node's edges are always the same")
}
