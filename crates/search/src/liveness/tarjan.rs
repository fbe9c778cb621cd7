//! `tarjan`: Tarjan's strong components (1972) on the fly. Each component is judged when it is complete: it has an accepting cycle if
//! it has a cycle and the marks of its edges are all marks.

use super::graph::{Found, Graph, Node};
use super::lasso::through_component;
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

/// The number of a node whose component is complete.
const COMPLETE: u32 = u32::MAX;

#[derive(Default)]
struct Numbers {
    /// By node, from 1; 0 if it was not met.
    list: Vec<u32>,
    next: u32,
}

impl Numbers {
    fn get(&self, node: Node) -> u32 {
        self.list.get(node as usize).copied().unwrap_or(0)
    }

    fn set(&mut self, node: Node, number: u32) {
        let index = node as usize;
        if index >= self.list.len() {
            self.list.resize((index + 1).max(self.list.len() * 5 / 4), 0);
        }
        self.list[index] = number;
    }

    fn enter(&mut self, node: Node, entry: u64) -> Open {
        self.next += 1;
        self.set(node, self.next);
        Open { low: self.next, marks: 0, entry, cyclic: false }
    }
}

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut numbers = Numbers::default();
    let mut path: Path<Open> = Path::default();
    // Tarjan's stack: nodes whose component is not complete.
    let mut members: Vec<Node> = Vec::new();
    for initial in graph.initial()? {
        if numbers.get(initial) != 0 {
            continue;
        }
        let open = numbers.enter(initial, 0);
        members.push(initial);
        path.push(graph, initial, open)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                match numbers.get(edge.target) {
                    0 => {
                        let open = numbers.enter(edge.target, edge.marks);
                        members.push(edge.target);
                        path.push(graph, edge.target, open)?;
                    }
                    COMPLETE => {}
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
                let inside = |node| (own..COMPLETE).contains(&numbers.get(node));
                return through_component(graph, prefix, inside).map(Some);
            }
            path.pop();
            while let Some(member) = members.pop() {
                numbers.set(member, COMPLETE);
                if member == node {
                    break;
                }
            }
        }
    }
    Ok(None)
}
