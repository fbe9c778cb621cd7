//! `nested`: nested depth-first search with four colors, as improved by Schwoon and Esparza (2005,
//! "A note on on-the-fly verification algorithms"): a cycle is found as soon as an edge closes one
//! through an accepting node on the stack, or when the second search reaches the first search's
//! stack. A node all of whose successors are red is red itself. In a weak graph the first search
//! suffices, since the edge that closes a cycle decides whether it is accepting.

use crate::liveness::graph::{Graph, Lasso, Node, SearchResult};
use crate::liveness::node_colors::NodeColors;
use crate::liveness::search_stack::SearchStack;
use crate::liveness::sweep;

const WHITE: u8 = 0;
/// On the stack of the first search.
const CYAN: u8 = 1;
const BLUE: u8 = 2;
/// No accepting cycle can be reached from here.
const RED: u8 = 3;

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let mut search = NestedSearch::default();
    sweep::single_thread(graph, |graph, root, exits| search.run(graph, root, exits))
}

/// The colors of nodes, kept between roots.
#[derive(Debug, Default)]
pub(super) struct NestedSearch {
    colors: NodeColors,
    path: SearchStack<bool>,
}

impl NestedSearch {
    /// Searches for a lasso from a node that is not visited.
    pub fn run<G: Graph>(
        &mut self,
        graph: &mut G,
        root: Node,
        exits: &mut Vec<Node>,
    ) -> SearchResult<G> {
        match self.colors.get(root) {
            WHITE => blue(graph, &mut self.colors, &mut self.path, root, exits),
            _ => Ok(None),
        }
    }
}

/// The first search. With each node on the path: are all successors so far red?
fn blue<G: Graph>(
    graph: &mut G,
    colors: &mut NodeColors,
    path: &mut SearchStack<bool>,
    root: Node,
    exits: &mut Vec<Node>,
) -> SearchResult<G> {
    path.clear();
    let (weak, all_marks) = (graph.is_weak(), graph.all_marks());
    colors.set(root, CYAN);
    path.push_component(graph, root, true, exits)?;
    while let Some(node) = path.top() {
        if let Some(edge) = path.next_edge() {
            let target = edge.target;
            match colors.get(target) {
                CYAN if edge.marks == all_marks || !weak && graph.is_accepting(target) => {
                    return Ok(Some(lasso_on_stack(path, target, &[])));
                }
                WHITE => {
                    colors.set(target, CYAN);
                    path.push_component(graph, target, true, exits)?;
                }
                RED => {}
                _ => clear_all_red(path),
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
            clear_all_red(path);
        }
    }
    Ok(None)
}

fn clear_all_red(path: &mut SearchStack<bool>) {
    if let Some(all_red) = path.data() {
        *all_red = false;
    }
}

/// The second search, from an accepting node all of whose successors are visited.
fn red<G: Graph>(
    graph: &mut G,
    colors: &mut NodeColors,
    first: &SearchStack<bool>,
    seed: Node,
) -> SearchResult<G> {
    let mut path: SearchStack<()> = SearchStack::default();
    path.push_in_component(graph, seed, ())?;
    while !path.is_empty() {
        let Some(edge) = path.next_edge() else {
            path.pop();
            continue;
        };
        match colors.get(edge.target) {
            CYAN => {
                let return_path: Vec<Node> = path.nodes().skip(1).collect();
                return Ok(Some(lasso_on_stack(first, edge.target, &return_path)));
            }
            BLUE => {
                colors.set(edge.target, RED);
                path.push_in_component(graph, edge.target, ())?;
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The lasso that leads along the first search's stack and from its top by `return_path` back to
/// `target`.
pub(super) fn lasso_on_stack<T: Copy>(
    path: &SearchStack<T>,
    target: Node,
    return_path: &[Node],
) -> Lasso {
    let position = path.position(target).expect("a cyan node is on the path");
    let prefix = path.nodes().take(position).collect();
    let cycle = path.nodes().skip(position).chain(return_path.iter().copied()).collect();
    Lasso { prefix, cycle }
}
