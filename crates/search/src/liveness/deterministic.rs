//! `deterministic`: the check of Jard and Jéron (1991, section 3) for properties that are deterministic, complete Büchi automata. The graph is the
//! product with the property itself, not with its complement: the property holds if every cycle has an accepting
//! node, so a cycle without one is the error. Searches that stop at accepting nodes find it; each accepting node is
//! the root of a search of its own.

use super::colors::Colors;
use super::graph::{Found, Graph, Lasso, Node};
use super::lasso::way;
use super::path::Path;

const ON_STACK: u8 = 1;
const VISITED: u8 = 2;

/// Looks for a lasso whose cycle has no accepting node.
pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut colors = Colors::default();
    let initial = graph.initial()?;
    // An accepting root is visited from the moment it waits, for no cycle in question goes through it.
    let mut roots: Vec<Node> = initial.clone();
    let mut path: Path<()> = Path::default();
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
                    let mut prefix = way(graph, &initial, |node| node == target)?.unwrap_or_default();
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
