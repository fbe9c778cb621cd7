//! `kosaraju`: strong components from postorder and predecessors (Kosaraju 1978, Sharir 1981; the way of section 4 of
//! Courcoubetis, Vardi, Wolper and Yannakakis 1990). The whole graph is visited first and its edges kept; so it is no search
//! on the fly, but every component is found by two plain traversals.

use super::graph::{Edge, Found, Graph, Node};
use super::lasso::{through_component, way};
use super::path::Path;

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let initial = graph.initial()?;
    let mut met: Vec<bool> = Vec::new();
    let mut postorder = Vec::new();
    // By target: source and marks.
    let mut predecessors: Vec<Vec<Edge>> = Vec::new();
    let mut path: Path<()> = Path::default();
    for &node in &initial {
        if mark(&mut met, node) {
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
            if mark(&mut met, edge.target) {
                path.push(graph, edge.target, ())?;
            }
        }
    }
    predecessors.resize_with(met.len(), Vec::new);
    let mut component = vec![u32::MAX; met.len()];
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
            let prefix = way(graph, &initial, inside)?.unwrap_or_else(|| vec![root]);
            return through_component(graph, prefix, inside).map(Some);
        }
    }
    Ok(None)
}

/// Was the node not marked?
fn mark(met: &mut Vec<bool>, node: Node) -> bool {
    let index = node as usize;
    if index >= met.len() {
        met.resize(index + 1, false);
    }
    !std::mem::replace(&mut met[index], true)
}
