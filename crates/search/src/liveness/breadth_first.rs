//! A shortest path, found without storing predecessors: nodes are visited level by level, in blocks
//! whose cache misses overlap. The path is read backwards, by looking in each level for a
//! predecessor of the next node.

use crate::liveness::graph::{Edge, Graph, Node};
use crate::liveness::node_colors::NodeColors;
use crate::tuning::liveness::EXPANSION_BLOCK;

/// The color of a visited node.
const VISITED: u8 = 1;

/// Bounds on the search for a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathBounds {
    /// The maximal number of edges of the path.
    pub longest: usize,
    /// The maximal number of nodes that are expanded.
    pub expansions: usize,
}

impl PathBounds {
    pub const NONE: PathBounds = PathBounds { longest: usize::MAX, expansions: usize::MAX };
}

/// A shortest path from one of `sources`, through nodes that are `inside`, to a node that is
/// `wanted`, both ends included; `None` if there is none within the bounds.
pub(crate) fn bounded_shortest_path<G: Graph>(
    graph: &mut G,
    sources: &[Node],
    inside: impl Fn(&G, Node) -> bool,
    wanted: impl Fn(Node) -> bool,
    mut bounds: PathBounds,
) -> Result<Option<Vec<Node>>, G::Error> {
    if let Some(&source) = sources.iter().find(|&&source| wanted(source)) {
        return Ok(Some(vec![source]));
    }
    let mut visited = NodeColors::default();
    let mut nodes: Vec<Node> =
        sources.iter().copied().filter(|&source| visited.insert(source, VISITED)).collect();
    // The position of each level's first node.
    let mut levels = vec![0];
    let mut edges = Vec::new();
    while levels.len() <= bounds.longest {
        let (mut first, end) = (levels[levels.len() - 1], nodes.len());
        if first == end {
            break;
        }
        levels.push(end);
        while first < end {
            let block = first..end.min(first + EXPANSION_BLOCK);
            match bounds.expansions.checked_sub(block.len()) {
                Some(left) => bounds.expansions = left,
                None => return Ok(None),
            }
            first = block.end;
            edges.clear();
            graph.successors_of(&nodes[block], &mut edges)?;
            for &Edge { target, .. } in &edges {
                if wanted(target) {
                    return read_backwards(graph, &nodes, &levels, target).map(Some);
                }
                if inside(graph, target) && visited.insert(target, VISITED) {
                    nodes.push(target);
                }
            }
        }
    }
    Ok(None)
}

/// The path to a successor of a node in the last level.
fn read_backwards<G: Graph>(
    graph: &mut G,
    nodes: &[Node],
    levels: &[usize],
    target: Node,
) -> Result<Vec<Node>, G::Error> {
    let mut path = vec![target];
    let mut goal = target;
    for level in levels.windows(2).rev() {
        for block in nodes[level[0]..level[1]].chunks(EXPANSION_BLOCK) {
            if has_successor(graph, block, goal)? {
                goal = predecessor_in(graph, block, goal)?;
                break;
            }
        }
        path.push(goal);
    }
    path.reverse();
    Ok(path)
}

/// Is the goal a successor of one of the nodes?
fn has_successor<G: Graph>(graph: &mut G, nodes: &[Node], goal: Node) -> Result<bool, G::Error> {
    let mut edges = Vec::new();
    graph.successors_of(nodes, &mut edges)?;
    Ok(edges.iter().any(|edge| edge.target == goal))
}

/// The first of the nodes that has the goal as a successor. Precondition: there is one.
fn predecessor_in<G: Graph>(graph: &mut G, nodes: &[Node], goal: Node) -> Result<Node, G::Error> {
    for &node in nodes {
        if has_successor(graph, &[node], goal)? {
            return Ok(node);
        }
    }
    unreachable!("a node's edges are always the same")
}
