//! Strong components of a part of a graph, by Tarjan's search (1972). The part is told by the numbers one begins with: a node whose number
//! is [`OUTSIDE`] is not entered.

use crate::liveness::path::Path;
use crate::liveness::{Graph, Node, Numbers, OUTSIDE, UNMET};

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
    let mut met = 0;
    let mut enter = |numbers: &mut Numbers, node| {
        met += 1;
        numbers.set(node, met);
        Open { low: met, cyclic: false }
    };
    let mut path: Path<Open> = Path::default();
    // Tarjan's stack: nodes whose component is not complete.
    let mut members: Vec<Node> = Vec::new();
    for &root in roots {
        if numbers.get(root) != UNMET {
            continue;
        }
        let open = enter(numbers, root);
        members.push(root);
        path.push(graph, root, open)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                match numbers.get(edge.target) {
                    UNMET => {
                        let open = enter(numbers, edge.target);
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
