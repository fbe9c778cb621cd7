//! Strong components of a part of a graph, by Tarjan's search (1972). The part is told by the numbers one begins with: a node whose number
//! is [`OUTSIDE`] is not entered.

use crate::liveness::path::Path;
use crate::liveness::{Graph, Node};

/// The number of a node that does not belong to the part, or whose component is complete.
pub const OUTSIDE: u32 = u32::MAX;
/// The number of a node of the part that was not met yet.
pub const UNMET: u32 = 0;

/// By node, when it was met, from 1.
#[derive(Clone, Debug)]
pub struct Numbers {
    list: Vec<u32>,
    /// The number of nodes nobody has spoken of.
    others: u32,
    next: u32,
}

impl Numbers {
    /// The whole graph is the part.
    pub fn whole() -> Numbers {
        Numbers { list: Vec::new(), others: UNMET, next: 0 }
    }

    /// Nothing is, so far.
    pub fn nothing() -> Numbers {
        Numbers { list: Vec::new(), others: OUTSIDE, next: 0 }
    }

    pub fn get(&self, node: Node) -> u32 {
        self.list.get(node as usize).copied().unwrap_or(self.others)
    }

    pub fn set(&mut self, node: Node, number: u32) {
        let index = node as usize;
        if index >= self.list.len() {
            self.list.resize((index + 1).max(self.list.len() * 5 / 4), self.others);
        }
        self.list[index] = number;
    }

    fn enter(&mut self, node: Node) -> Open {
        self.next += 1;
        self.set(node, self.next);
        Open { low: self.next, cyclic: false }
    }
}

/// What is remembered of a node on the path.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The lowest number that can be reached from it.
    low: u32,
    /// Does an edge behind it close a cycle?
    cyclic: bool,
}

/// Shows every component to `judge`, with whether it has a cycle, until that returns something. A component comes after all
/// that can be reached from it. Precondition: no number is that of a search still going on.
pub fn components<G: Graph, T>(
    graph: &mut G,
    roots: &[Node],
    numbers: &mut Numbers,
    mut judge: impl FnMut(&mut G, &[Node], bool) -> Result<Option<T>, G::Stop>,
) -> Result<Option<T>, G::Stop> {
    numbers.next = 0;
    let mut path: Path<Open> = Path::default();
    // Tarjan's stack: nodes whose component is not complete.
    let mut members: Vec<Node> = Vec::new();
    for &root in roots {
        if numbers.get(root) != UNMET {
            continue;
        }
        let open = numbers.enter(root);
        members.push(root);
        path.push(graph, root, open)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                match numbers.get(edge.target) {
                    UNMET => {
                        let open = numbers.enter(edge.target);
                        members.push(edge.target);
                        path.push(graph, edge.target, open)?;
                    }
                    OUTSIDE => {}
                    number => {
                        if let Some(open) = path.data() {
                            open.low = open.low.min(number);
                            open.cyclic = true;
                        }
                    }
                }
                continue;
            }
            let own = numbers.get(node);
            let Some((_, open)) = path.pop() else { break };
            if open.low < own {
                if let Some(parent) = path.data() {
                    parent.low = parent.low.min(open.low);
                    parent.cyclic = true;
                }
                continue;
            }
            let first = members.iter().rposition(|&member| member == node).unwrap_or(0);
            members[first..].iter().for_each(|&member| numbers.set(member, OUTSIDE));
            if let Some(found) = judge(graph, &members[first..], open.cyclic)? {
                return Ok(Some(found));
            }
            members.truncate(first);
        }
    }
    Ok(None)
}
