//! `kosaraju`: strong components from a postorder and predecessors (Kosaraju 1978, Sharir 1981;
//! used in section 4 of Courcoubetis, Vardi, Wolper and Yannakakis 1990). The whole graph is
//! visited first and its edges are stored, so this is not an on-the-fly search; two plain
//! traversals find every component.

use crate::liveness::graph::{Edge, Graph, Node, SearchResult};
use crate::liveness::lasso::{shortest_path, through_component};
use crate::liveness::search_stack::SearchStack;

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let initial = graph.initial()?;
    let mut visited: Vec<bool> = Vec::new();
    let mut postorder = Vec::new();
    // By target: source and marks.
    let mut predecessors: Vec<Vec<Edge>> = Vec::new();
    let mut path: SearchStack<()> = SearchStack::default();
    for &node in &initial {
        if mark(&mut visited, node) {
            path.push(graph, node, ())?;
        }
        while let Some(node) = path.top() {
            let Some(edge) = path.next_edge() else {
                postorder.extend(path.pop().map(|(node, ())| node));
                continue;
            };
            let target = edge.target as usize;
            if target >= predecessors.len() {
                predecessors.resize_with(target + 1, Vec::new);
            }
            predecessors[target].push(Edge { marks: edge.marks, target: node });
            if mark(&mut visited, edge.target) {
                path.push(graph, edge.target, ())?;
            }
        }
    }
    predecessors.resize_with(visited.len(), Vec::new);
    let mut component = vec![u32::MAX; visited.len()];
    for (number, &root) in postorder.iter().rev().enumerate() {
        if component[root as usize] != u32::MAX {
            continue;
        }
        let number = number as u32;
        component[root as usize] = number;
        let mut members = vec![root];
        let mut next = 0;
        while let Some(&member) = members.get(next) {
            next += 1;
            for edge in &predecessors[member as usize] {
                if component[edge.target as usize] == u32::MAX {
                    component[edge.target as usize] = number;
                    members.push(edge.target);
                }
            }
        }
        let inner = members.iter().flat_map(|&member| &predecessors[member as usize]);
        let inner = inner.filter(|edge| component[edge.target as usize] == number);
        let (cyclic, marks) = inner.fold((false, 0), |(_, marks), edge| (true, marks | edge.marks));
        if cyclic && marks == graph.all_marks() {
            let inside = |node: Node| component[node as usize] == number;
            let prefix = shortest_path(graph, &initial, inside)?.unwrap_or_else(|| vec![root]);
            return through_component(graph, prefix, inside).map(Some);
        }
    }
    Ok(None)
}

/// Marks the node; returns whether it was unmarked.
fn mark(visited: &mut Vec<bool>, node: Node) -> bool {
    let index = node as usize;
    if index >= visited.len() {
        visited.resize(index + 1, false);
    }
    !std::mem::replace(&mut visited[index], true)
}
