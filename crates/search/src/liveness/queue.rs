//! `queue`: algorithm A of Courcoubetis, Vardi, Wolper and Yannakakis (1990): a first search puts the accepting nodes into a queue in
//! postorder; a second one, over the same graph with a table of its own, starts from each of them in that order and looks for
//! a way back. The run to the cycle is found by a third search.

use super::colors::Colors;
use super::graph::{Found, Graph, Lasso, Node};
use super::lasso::way;
use super::path::Path;

const FIRST: u8 = 1;
const SECOND: u8 = 2;

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut marked = Colors::default();
    let initial = graph.initial()?;
    let mut queue = Vec::new();
    let mut path: Path<()> = Path::default();
    for &node in &initial {
        if marked.mark(node, FIRST) {
            path.push(graph, node, ())?;
        }
        while !path.is_empty() {
            match path.next_edge() {
                Some(edge) if marked.mark(edge.target, FIRST) => path.push(graph, edge.target, ())?,
                Some(_) => {}
                None => {
                    queue.extend(path.pop().map(|(node, ())| node).filter(|&node| graph.is_accepting(node)))
                }
            }
        }
    }
    for seed in queue {
        path.push(graph, seed, ())?;
        while !path.is_empty() {
            match path.next_edge() {
                Some(edge) if edge.target == seed => {
                    let cycle: Vec<Node> = path.nodes().collect();
                    let mut prefix = way(graph, &initial, |node| node == seed)?.unwrap_or_default();
                    prefix.pop();
                    return Ok(Some(Lasso { prefix, cycle }));
                }
                Some(edge) if marked.mark(edge.target, SECOND) => path.push(graph, edge.target, ())?,
                Some(_) => {}
                None => {
                    path.pop();
                }
            }
        }
    }
    Ok(None)
}
