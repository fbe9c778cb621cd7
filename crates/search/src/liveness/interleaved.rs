//! `interleaved`: algorithm B of Courcoubetis, Vardi, Wolper and Yannakakis (1990): when the first
//! search backtracks from an accepting node, the second one looks for a path back to it, with its
//! own stack and visited set. The two stacks are the counterexample.

use crate::liveness::graph::{Graph, Lasso, Node, SearchResult};
use crate::liveness::node_colors::NodeColors;
use crate::liveness::search_stack::SearchStack;

/// Visited by the first search.
pub(super) const FIRST: u8 = 1;
/// Visited by a second search.
const SECOND: u8 = 2;

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let mut marked = NodeColors::default();
    let mut first: SearchStack<()> = SearchStack::default();
    let mut second = SearchStack::default();
    for initial in graph.initial()? {
        if marked.insert(initial, FIRST) {
            first.push(graph, initial, ())?;
        }
        while let Some(node) = first.top() {
            match first.next_edge() {
                Some(edge) if marked.insert(edge.target, FIRST) => {
                    first.push(graph, edge.target, ())?
                }
                Some(_) => {}
                None => {
                    if graph.is_accepting(node)
                        && let Some(cycle) = path_back(graph, &mut marked, &mut second, node)?
                    {
                        let prefix = first.nodes().take(first.len() - 1).collect();
                        return Ok(Some(Lasso { prefix, cycle }));
                    }
                    first.pop();
                }
            }
        }
    }
    Ok(None)
}

/// A path from the seed back to itself, through nodes that no earlier second search has visited.
/// `path` is empty; its memory is reused.
pub(super) fn path_back<G: Graph>(
    graph: &mut G,
    marked: &mut NodeColors,
    path: &mut SearchStack<()>,
    seed: Node,
) -> Result<Option<Vec<Node>>, G::Error> {
    path.push(graph, seed, ())?;
    while !path.is_empty() {
        match path.next_edge() {
            Some(edge) if edge.target == seed => return Ok(Some(path.nodes().collect())),
            Some(edge) if marked.insert(edge.target, SECOND) => {
                path.push(graph, edge.target, ())?
            }
            Some(_) => {}
            None => {
                path.pop();
            }
        }
    }
    Ok(None)
}
