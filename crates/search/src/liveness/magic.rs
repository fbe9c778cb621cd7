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
                    return Ok(Some(lasso(&path)));
                }
                if met.mark(edge.target, BIT[usize::from(magic)]) {
                    path.push(graph, edge.target, magic)?;
                }
                continue;
            }
            if !magic && graph.is_accepting(node) {
                let second = graph.switched(node)?;
                if met.mark(second, BIT[1]) {
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

/// The stack is the counterexample: the seed stands on it twice, once for each state of the demon.
fn lasso(path: &Path<bool>) -> Lasso {
    let mut prefix: Vec<Node> = path.entries().filter(|(_, magic)| !magic).map(|(node, _)| node).collect();
    let cycle = path.entries().filter(|(_, magic)| *magic).map(|(node, _)| node).collect();
    prefix.pop();
    Lasso { prefix, cycle }
}
