//! `interleaved`: algorithm B of Courcoubetis, Vardi, Wolper and Yannakakis (1990): when the first search backs up from an accepting node,
//! the second one looks for a way back to it, with a stack and a table of its own. The two stacks are the counterexample.

use super::colors::Colors;
use super::graph::{Found, Graph, Lasso, Node};
use super::path::Path;

const FIRST: u8 = 1;
const SECOND: u8 = 2;

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut marked = Colors::default();
    let mut first: Path<()> = Path::default();
    for initial in graph.initial()? {
        if marked.mark(initial, FIRST) {
            first.push(graph, initial, ())?;
        }
        while let Some(node) = first.top() {
            match first.next_edge() {
                Some(edge) if marked.mark(edge.target, FIRST) => first.push(graph, edge.target, ())?,
                Some(_) => {}
                None => {
                    if graph.is_accepting(node)
                        && let Some(cycle) = second(graph, &mut marked, node)?
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

/// A way from the seed back to itself, through nodes that no earlier second search has seen.
fn second<G: Graph>(graph: &mut G, marked: &mut Colors, seed: Node) -> Result<Option<Vec<Node>>, G::Stop> {
    let mut path: Path<()> = Path::default();
    path.push(graph, seed, ())?;
    while !path.is_empty() {
        match path.next_edge() {
            Some(edge) if edge.target == seed => return Ok(Some(path.nodes().collect())),
            Some(edge) if marked.mark(edge.target, SECOND) => path.push(graph, edge.target, ())?,
            Some(_) => {}
            None => {
                path.pop();
            }
        }
    }
    Ok(None)
}
