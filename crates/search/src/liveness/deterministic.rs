//! `deterministic`: the check of Jard and Jéron (1991, section 3) for properties that are
//! deterministic, complete Büchi automata. The graph is the product with the property itself, not
//! with its complement: the property holds if every cycle has an accepting node, so a cycle without
//! one is a violation. The searches stop at accepting nodes; each accepting node is the root of
//! another search.

use crate::liveness::graph::{Graph, Lasso, Node, SearchResult};
use crate::liveness::lasso::shortest_path;
use crate::liveness::node_colors::NodeColors;
use crate::liveness::search_stack::SearchStack;

const ON_STACK: u8 = 1;
const VISITED: u8 = 2;

/// Searches for a lasso whose cycle has no accepting node.
pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let mut colors = NodeColors::default();
    let initial = graph.initial()?;
    // An accepting root counts as visited while it waits, since no cycle that is searched for
    // passes through it.
    let mut roots: Vec<Node> = initial.clone();
    let mut path: SearchStack<()> = SearchStack::default();
    while let Some(root) = roots.pop() {
        if colors.get(root) != 0 && !graph.is_accepting(root) {
            continue;
        }
        colors.set(root, ON_STACK);
        path.push(graph, root, ())?;
        while let Some(node) = path.top() {
            let Some(edge) = path.next_edge() else {
                colors.set(node, VISITED);
                path.pop();
                continue;
            };
            let target = edge.target;
            match colors.get(target) {
                ON_STACK if !graph.is_accepting(target) => {
                    let position = path.position(target).expect("the node is on the path");
                    let cycle: Vec<Node> = path.nodes().skip(position).collect();
                    let mut prefix =
                        shortest_path(graph, &initial, |node| node == target)?.unwrap_or_default();
                    prefix.pop();
                    return Ok(Some(Lasso { prefix, cycle }));
                }
                0 if graph.is_accepting(target) => {
                    colors.set(target, VISITED);
                    roots.push(target);
                }
                0 => {
                    colors.set(target, ON_STACK);
                    path.push(graph, target, ())?;
                }
                _ => {}
            }
        }
    }
    Ok(None)
}
