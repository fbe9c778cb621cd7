//! Strong components of a graph, or of a part of it, by Tarjan's algorithm (1972): the one
//! implementation for `tarjan`, fairness and branching time. The visit numbers determine the part:
//! a node with the number [`OUTSIDE`] is not entered.

use crate::liveness::search_stack::SearchStack;
use crate::liveness::{Graph, Node, OUTSIDE, UNVISITED, VisitNumbers};

/// Data of a node on the path.
#[derive(Clone, Copy, Debug)]
struct ComponentFrame {
    /// The lowest number that can be reached from it.
    low: u32,
    /// The marks of the edges of its component that were explored after it.
    marks: u64,
    /// The marks of the edge by which it was entered.
    entry: u64,
    /// Does an edge that was explored after it close a cycle?
    cyclic: bool,
}

/// A complete strong component.
pub(crate) struct Component<'c> {
    /// Its nodes; the first one was entered first.
    pub members: &'c [Node],
    /// Does it contain an edge?
    pub cyclic: bool,
    /// The marks of its edges.
    pub marks: u64,
    path: &'c SearchStack<ComponentFrame>,
}

impl Component<'_> {
    /// A path from a root of the search to the first member, both included.
    pub fn path(&self) -> Vec<Node> {
        self.path.nodes().chain(self.members.first().copied()).collect()
    }
}

/// Calls `judge` with every component, until `judge` returns a value. A component follows all
/// components that can be reached from it. Precondition: every number is [`UNVISITED`] or
/// [`OUTSIDE`].
pub(crate) fn components<G: Graph, T>(
    graph: &mut G,
    roots: &[Node],
    numbers: &mut VisitNumbers,
    mut judge: impl FnMut(&mut G, &Component<'_>) -> Result<Option<T>, G::Error>,
) -> Result<Option<T>, G::Error> {
    let mut visited = 0;
    let mut enter = |numbers: &mut VisitNumbers, node, entry| {
        visited += 1;
        numbers.set(node, visited);
        ComponentFrame { low: visited, marks: 0, entry, cyclic: false }
    };
    let mut path: SearchStack<ComponentFrame> = SearchStack::default();
    // Tarjan's stack: nodes whose component is not complete.
    let mut members: Vec<Node> = Vec::new();
    for &root in roots {
        if numbers.get(root) != UNVISITED {
            continue;
        }
        let frame = enter(numbers, root, 0);
        members.push(root);
        path.push(graph, root, frame)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                match numbers.get(edge.target) {
                    UNVISITED => {
                        let frame = enter(numbers, edge.target, edge.marks);
                        members.push(edge.target);
                        path.push(graph, edge.target, frame)?;
                    }
                    OUTSIDE => {}
                    number => {
                        if let Some(frame) = path.data() {
                            frame.low = frame.low.min(number);
                            frame.marks |= edge.marks;
                            frame.cyclic = true;
                        }
                    }
                }
                continue;
            }
            let own = numbers.get(node);
            let Some((_, frame)) = path.pop() else { break };
            if frame.low < own {
                if let Some(parent) = path.data() {
                    parent.low = parent.low.min(frame.low);
                    parent.marks |= frame.marks | frame.entry;
                    parent.cyclic = true;
                }
                continue;
            }
            let first = members.iter().rposition(|&member| member == node).unwrap_or(0);
            members[first..].iter().for_each(|&member| numbers.set(member, OUTSIDE));
            let ComponentFrame { marks, cyclic, .. } = frame;
            let component = Component { members: &members[first..], cyclic, marks, path: &path };
            if let Some(found) = judge(graph, &component)? {
                return Ok(Some(found));
            }
            members.truncate(first);
        }
    }
    Ok(None)
}
