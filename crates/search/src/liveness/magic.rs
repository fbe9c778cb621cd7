//! `magic`: the magic search of Godefroid and Holzmann (1993, Figure 5): one stack, one table, and
//! a demon with two states. When the search backtracks from an accepting node, the demon switches,
//! and the search continues from that node with the demon in its second state, looking for the node
//! itself.

use crate::liveness::graph::{Graph, Lasso, Node, SearchResult};
use crate::liveness::node_colors::NodeColors;
use crate::liveness::search_stack::SearchStack;

/// Color bits: visited while the demon is in its first state, in its second.
const BIT: [u8; 2] = [1, 2];

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let mut visited = NodeColors::default();
    // With each node on the path: is the demon in its second state?
    let mut path: SearchStack<bool> = SearchStack::default();
    let mut seed = None;
    for initial in graph.initial()? {
        if visited.insert(initial, BIT[0]) {
            path.push(graph, initial, false)?;
        }
        while let Some(node) = path.top() {
            let magic = path.data().is_some_and(|magic| *magic);
            if let Some(edge) = path.next_edge() {
                if magic && seed == Some(edge.target) {
                    return Ok(Some(lasso(&path)));
                }
                if visited.insert(edge.target, BIT[usize::from(magic)]) {
                    path.push(graph, edge.target, magic)?;
                }
                continue;
            }
            if !magic && graph.is_accepting(node) {
                let second = graph.with_switched_demon(node)?;
                if visited.insert(second, BIT[1]) {
                    seed = Some(second);
                    path.push(graph, second, true)?;
                    continue;
                }
            }
            path.pop();
        }
    }
    Ok(None)
}

/// The stack is the counterexample. The seed is on it twice, once for each state of the demon.
fn lasso(path: &SearchStack<bool>) -> Lasso {
    let mut prefix: Vec<Node> =
        path.entries().filter(|(_, magic)| !magic).map(|(node, _)| node).collect();
    let cycle = path.entries().filter(|(_, magic)| *magic).map(|(node, _)| node).collect();
    prefix.pop();
    Lasso { prefix, cycle }
}
