//! `queue`: algorithm A of Courcoubetis, Vardi, Wolper and Yannakakis (1990): a first search puts
//! the accepting nodes into a queue in postorder; a second one, on the same graph with its own
//! visited set, starts from each of them in that order and looks for a path back. A third search
//! finds the path to the cycle.

use crate::liveness::graph::{Graph, Lasso, SearchResult};
use crate::liveness::interleaved::{FIRST, path_back};
use crate::liveness::lasso::shortest_path;
use crate::liveness::node_colors::NodeColors;
use crate::liveness::search_stack::SearchStack;

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let mut marked = NodeColors::default();
    let initial = graph.initial()?;
    let mut queue = Vec::new();
    let mut path: SearchStack<()> = SearchStack::default();
    for &node in &initial {
        if marked.insert(node, FIRST) {
            path.push(graph, node, ())?;
        }
        while !path.is_empty() {
            match path.next_edge() {
                Some(edge) if marked.insert(edge.target, FIRST) => {
                    path.push(graph, edge.target, ())?
                }
                Some(_) => {}
                None => queue.extend(
                    path.pop().map(|(node, ())| node).filter(|&node| graph.is_accepting(node)),
                ),
            }
        }
    }
    for seed in queue {
        if let Some(cycle) = path_back(graph, &mut marked, &mut path, seed)? {
            let mut prefix =
                shortest_path(graph, &initial, |node| node == seed)?.unwrap_or_default();
            prefix.pop();
            return Ok(Some(Lasso { prefix, cycle }));
        }
    }
    Ok(None)
}
