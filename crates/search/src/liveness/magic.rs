//! `magic`: the magic search of Godefroid and Holzmann (1993, Figure 5): one stack, one table, and a demon with two
//! states. When the search backs up from an accepting node, the demon switches and the search goes on from that node in
//! the demon's second state, looking for the node itself.

use super::colors::Colors;
use super::graph::{Found, Graph, Lasso, Node};
use super::path::Path;

/// Bits of a node's color: met while the demon is in its first state, in its second.
const BIT: [u8; 2] = [1, 2];

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut met = Colors::default();
    // Remembered on the path: the demon's state.
    let mut path: Path<bool> = Path::default();
    let mut seed = None;
    for initial in graph.initial()? {
        if met.mark(initial, BIT[0]) {
            path.push(graph, initial, false)?;
        }
        while let Some(node) = path.top() {
            let magic = path.data().is_some_and(|magic| *magic);
            if let Some(edge) = path.next_edge() {
                if magic && seed == Some(edge.target) {
                    return Ok(Some(lasso(&path, edge.target)));
                }
                if met.mark(edge.target, BIT[usize::from(magic)]) {
                    path.push(graph, edge.target, magic)?;
                }
                continue;
            }
            if !magic && graph.is_accepting(node) && met.mark(node, BIT[1]) {
                seed = Some(node);
                path.push(graph, node, true)?;
                continue;
            }
            path.pop();
        }
    }
    Ok(None)
}

/// The stack is the counterexample: the seed stands on it twice, once for each state of the demon.
fn lasso(path: &Path<bool>, seed: Node) -> Lasso {
    let prefix: Vec<Node> = path.entries().filter(|(_, magic)| !magic).map(|(node, _)| node).collect();
    let cycle = path.entries().filter(|(_, magic)| *magic).map(|(node, _)| node).collect();
    debug_assert_eq!(prefix.last(), Some(&seed));
    Lasso { prefix: prefix[..prefix.len() - 1].to_vec(), cycle }
}
