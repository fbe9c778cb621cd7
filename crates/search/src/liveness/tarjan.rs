//! `tarjan`: Tarjan's strong components (1972) on the fly. Each component is judged when it is complete: it has an accepting cycle if
//! it has a cycle and the marks of its edges are all marks.

use super::graph::{Found, Graph, Node};
use super::lasso::through_component;
use super::numbers::{Numbers, OUTSIDE, UNMET};
use super::path::Path;

/// What is remembered of a node on the path.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The lowest number that can be reached from it.
    low: u32,
    /// The marks of edges behind it that belong to its component.
    marks: u64,
    /// The marks of the edge by which it was entered.
    entry: u64,
    /// Does an edge behind it close a cycle?
    cyclic: bool,
}

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut numbers = Numbers::whole();
    let mut met = 0;
    let mut enter = |numbers: &mut Numbers, node, entry| {
        met += 1;
        numbers.set(node, met);
        Open { low: met, marks: 0, entry, cyclic: false }
    };
    let mut path: Path<Open> = Path::default();
    // Tarjan's stack: nodes whose component is not complete.
    let mut members: Vec<Node> = Vec::new();
    for initial in graph.initial()? {
        if numbers.get(initial) != UNMET {
            continue;
        }
        let open = enter(&mut numbers, initial, 0);
        members.push(initial);
        path.push(graph, initial, open)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                match numbers.get(edge.target) {
                    UNMET => {
                        let open = enter(&mut numbers, edge.target, edge.marks);
                        members.push(edge.target);
                        path.push(graph, edge.target, open)?;
                    }
                    OUTSIDE => {}
                    number => {
                        if let Some(open) = path.data() {
                            open.low = open.low.min(number);
                            open.marks |= edge.marks;
                            open.cyclic = true;
                        }
                    }
                }
                continue;
            }
            let own = numbers.get(node);
            let open = path.data().map_or(Open { low: own, marks: 0, entry: 0, cyclic: false }, |open| *open);
            if open.low < own {
                path.pop();
                if let Some(parent) = path.data() {
                    parent.low = parent.low.min(open.low);
                    parent.marks |= open.marks | open.entry;
                    parent.cyclic = true;
                }
                continue;
            }
            if open.cyclic && open.marks == graph.all_marks() {
                let prefix = path.nodes().collect();
                let inside = |node| (own..OUTSIDE).contains(&numbers.get(node));
                return through_component(graph, prefix, inside).map(Some);
            }
            path.pop();
            while let Some(member) = members.pop() {
                numbers.set(member, OUTSIDE);
                if member == node {
                    break;
                }
            }
        }
    }
    Ok(None)
}
