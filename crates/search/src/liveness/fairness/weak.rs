//! Weak fairness on the fly: an actor that is enabled forever moves infinitely often.
//!
//! Weak fairness is generalized Büchi acceptance with a mark for each actor, on the edges along
//! which it moves and on those that leave nodes where it is not enabled. Couvreur's search (1999)
//! therefore applies. Its marks are represented by their complement, as the actors that are always
//! enabled and those that move, which allows any number of actors, including ones not discovered
//! yet.

use super::Strength;
use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::fairness::cycle_tally::CycleTally;
use crate::liveness::fairness::graph::{FairEdge, FairGraph, FoundFair};
use crate::liveness::fairness::lasso::fair_lasso;
use crate::liveness::{Node, OUTSIDE, UNVISITED, VisitNumbers};

/// A component on the search path.
struct FairRoot {
    /// The visit number of its first node.
    number: u32,
    /// The marks and actors in it.
    tally: CycleTally,
    /// The edge that leads to it.
    entry: Option<FairEdge>,
}

struct FairFrame {
    node: Node,
    number: u32,
    /// The position of its edges in the list, in reverse order.
    start: usize,
}

/// Searches for a weakly fair accepting lasso.
pub fn search<G: FairGraph>(graph: &mut G) -> FoundFair<G> {
    let initial = graph.initial()?;
    let mut numbers = VisitNumbers::all_unvisited();
    let mut visited = 0;
    let mut roots: Vec<FairRoot> = Vec::new();
    let mut live: Vec<Node> = Vec::new();
    let mut frames: Vec<FairFrame> = Vec::new();
    let mut edges: Vec<FairEdge> = Vec::new();
    let mut enabled = ActorSet::new();
    for &source in &initial {
        let mut entering = (numbers.get(source) == UNVISITED).then_some((source, None));
        loop {
            if let Some((node, entry)) = entering.take() {
                visited += 1;
                numbers.set(node, visited);
                let start = edges.len();
                graph.expand(node, &mut edges, &mut enabled)?;
                edges[start..].reverse();
                let mut tally = CycleTally::default();
                tally.node(&enabled);
                roots.push(FairRoot { number: visited, tally, entry });
                live.push(node);
                frames.push(FairFrame { node, number: visited, start });
            }
            let Some(frame) = frames.last() else { break };
            if edges.len() == frame.start {
                leave(frame, &mut roots, &mut live, &mut numbers);
                frames.pop();
                continue;
            }
            let Some(edge) = edges.pop() else { break };
            match numbers.get(edge.edge.target) {
                UNVISITED => entering = Some((edge.edge.target, Some(edge))),
                OUTSIDE => {}
                number => {
                    let Some(root) = join(&mut roots, number, &edge) else { continue };
                    if root.tally.is_fair(Strength::Weak, graph.all_marks()) {
                        let first = root.number;
                        let inside = |node| (first..OUTSIDE).contains(&numbers.get(node));
                        return fair_lasso(graph, &initial, inside, Strength::Weak).map(Some);
                    }
                }
            }
        }
    }
    Ok(None)
}

/// The edge leads back to the node with this number: merges all components since then.
fn join<'r>(roots: &'r mut Vec<FairRoot>, number: u32, edge: &FairEdge) -> Option<&'r FairRoot> {
    let mut joined = CycleTally::default();
    joined.edge(edge);
    while roots.last().is_some_and(|root| root.number > number) {
        let root = roots.pop()?;
        joined.merge(&root.tally);
        root.entry.iter().for_each(|entry| joined.edge(entry));
    }
    let root = roots.last_mut()?;
    root.tally.merge(&joined);
    Some(root)
}

/// If the node was the first of its component, the component is complete now.
fn leave(
    frame: &FairFrame,
    roots: &mut Vec<FairRoot>,
    live: &mut Vec<Node>,
    numbers: &mut VisitNumbers,
) {
    if roots.last().is_none_or(|root| root.number != frame.number) {
        return;
    }
    roots.pop();
    while let Some(member) = live.pop() {
        numbers.set(member, OUTSIDE);
        if member == frame.node {
            break;
        }
    }
}
