//! `couvreur`: strong components on the fly, with generalized acceptance as it is (Couvreur 1999, "On-the-fly verification of linear temporal
//! logic"). Components on the search path are kept with the marks of their edges; an edge that closes a cycle joins
//! components, and a component that has all marks is an accepting cycle, long before it is complete.

use super::graph::{Found, Graph, Node};
use super::lasso::through_component;
use super::numbers::{Numbers, OUTSIDE, UNMET};
use super::path::Path;
use super::sweep;

/// A component on the search path.
#[derive(Clone, Copy, Debug)]
struct Root {
    /// The number of the node it was entered by.
    number: u32,
    /// The marks of its edges.
    marks: u64,
    /// The marks of the edge that leads to it.
    entry: u64,
}

struct Search {
    /// By node, its place in the order of visits.
    numbers: Numbers,
    roots: Vec<Root>,
    /// Nodes of components not yet complete.
    live: Vec<Node>,
    visited: u32,
}

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut search = Search { numbers: Numbers::whole(), roots: Vec::new(), live: Vec::new(), visited: 0 };
    sweep::alone(graph, |graph, root, left| search.run(graph, root, left))
}

impl Search {
    fn run<G: Graph>(&mut self, graph: &mut G, root: Node, left: &mut Vec<Node>) -> Found<G> {
        if self.numbers.get(root) != UNMET {
            return Ok(None);
        }
        let mut path: Path<()> = Path::default();
        self.enter(root, 0);
        path.push_within(graph, root, (), left)?;
        while let Some(node) = path.top() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                self.leave(node);
                continue;
            };
            match self.numbers.get(edge.target) {
                UNMET => {
                    self.enter(edge.target, edge.marks);
                    path.push_within(graph, edge.target, (), left)?;
                }
                OUTSIDE => {}
                number => {
                    self.join(number, edge.marks);
                    let root = self.roots[self.roots.len() - 1];
                    if root.marks == graph.all_marks() {
                        let length =
                            path.nodes().take_while(|&node| self.numbers.get(node) < root.number).count();
                        let prefix = path.nodes().take(length + 1).collect();
                        let inside = |node| (root.number..OUTSIDE).contains(&self.numbers.get(node));
                        return through_component(graph, prefix, inside).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, node: Node, entry: u64) {
        self.visited += 1;
        self.numbers.set(node, self.visited);
        self.roots.push(Root { number: self.visited, marks: 0, entry });
        self.live.push(node);
    }

    /// An edge with these marks leads back to a node with this number: all components since then are one.
    fn join(&mut self, number: u32, marks: u64) {
        let mut joined = marks;
        while let Some(root) = self.roots.last_mut() {
            if root.number <= number {
                root.marks |= joined;
                return;
            }
            joined |= root.marks | root.entry;
            self.roots.pop();
        }
    }

    /// If the node was the entry of a component, that is complete now.
    fn leave(&mut self, node: Node) {
        let number = self.numbers.get(node);
        if self.roots.last().is_none_or(|root| root.number != number) {
            return;
        }
        self.roots.pop();
        while let Some(member) = self.live.pop() {
            self.numbers.set(member, OUTSIDE);
            if member == node {
                break;
            }
        }
    }
}
