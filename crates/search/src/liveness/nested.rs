//! `nested`: nested depth-first search with four colors, as improved by Schwoon and Esparza (2005, "A note on on-the-fly
//! verification algorithms"): a cycle is found as soon as an edge closes one through an accepting node on the stack, or when
//! the second search meets the first one's stack. A node all of whose successors are red is red itself. In a weak graph the first search
//! is enough, for an edge that closes a cycle tells whether it is accepting.

use super::colors::Colors;
use super::graph::{Found, Graph, Lasso, Node};
use super::path::Path;
use super::sweep;

const WHITE: u8 = 0;
/// On the stack of the first search.
const CYAN: u8 = 1;
const BLUE: u8 = 2;
/// No accepting cycle can be reached from here.
const RED: u8 = 3;

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut search = Search::default();
    sweep::alone(graph, |graph, root, left| search.run(graph, root, left))
}

/// What is known of nodes.
#[derive(Debug, Default)]
pub(super) struct Search {
    colors: Colors,
    path: Path<bool>,
}

impl Search {
    /// Looks for a lasso from a node, unless that was visited.
    pub fn run<G: Graph>(&mut self, graph: &mut G, root: Node, left: &mut Vec<Node>) -> Found<G> {
        match self.colors.get(root) {
            WHITE => blue(graph, &mut self.colors, &mut self.path, root, left),
            _ => Ok(None),
        }
    }
}

/// The first search. Remembered on the path: are all successors so far red?
fn blue<G: Graph>(
    graph: &mut G,
    colors: &mut Colors,
    path: &mut Path<bool>,
    root: Node,
    left: &mut Vec<Node>,
) -> Found<G> {
    path.clear();
    let (weak, all_marks) = (graph.is_weak(), graph.all_marks());
    colors.set(root, CYAN);
    path.push_within(graph, root, true, left)?;
    while let Some(node) = path.top() {
        if let Some(edge) = path.next_edge() {
            let target = edge.target;
            match colors.get(target) {
                CYAN if edge.marks == all_marks || !weak && graph.is_accepting(target) => {
                    return Ok(Some(closed(path, target, &[])));
                }
                WHITE => {
                    colors.set(target, CYAN);
                    path.push_within(graph, target, true, left)?;
                }
                RED => {}
                _ => clear(path),
            }
            continue;
        }
        let all_red = path.data().is_none_or(|all_red| *all_red);
        if !all_red && !weak && graph.is_accepting(node) {
            if let Some(lasso) = red(graph, colors, path, node)? {
                return Ok(Some(lasso));
            }
            colors.set(node, RED);
        } else {
            colors.set(node, if all_red { RED } else { BLUE });
        }
        path.pop();
        if colors.get(node) != RED {
            clear(path);
        }
    }
    Ok(None)
}

fn clear(path: &mut Path<bool>) {
    if let Some(all_red) = path.data() {
        *all_red = false;
    }
}

/// The second search, from an accepting node all of whose successors have been visited.
fn red<G: Graph>(graph: &mut G, colors: &mut Colors, first: &Path<bool>, seed: Node) -> Found<G> {
    let mut path: Path<()> = Path::default();
    path.push_inside(graph, seed, ())?;
    while !path.is_empty() {
        let Some(edge) = path.next_edge() else {
            path.pop();
            continue;
        };
        match colors.get(edge.target) {
            CYAN => {
                let way: Vec<Node> = path.nodes().skip(1).collect();
                return Ok(Some(closed(first, edge.target, &way)));
            }
            BLUE => {
                colors.set(edge.target, RED);
                path.push_inside(graph, edge.target, ())?;
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The stack of the first search is a lasso: from its top by the nodes in `way` back to `target`.
pub(super) fn closed<T: Copy>(path: &Path<T>, target: Node, way: &[Node]) -> Lasso {
    let position = path.position(target).expect("a cyan node is on the path");
    let prefix = path.nodes().take(position).collect();
    let cycle = path.nodes().skip(position).chain(way.iter().copied()).collect();
    Lasso { prefix, cycle }
}
