//! Weak fairness on the fly: nobody is enabled forever without moving.
//!
//! It is generalized Büchi acceptance with a mark for each actor, on the edges along which it moves and those that leave nodes where it is
//! not enabled. So Couvreur's search (1999) does it; its marks are only kept the other way round, as those always enabled and
//! those who move, which allows any number of actors, also some not met yet.

use super::Strength;
use super::actors::ActorSet;
use super::graph::{FairEdge, FairGraph, FoundFair};
use super::lasso::fair_lasso;
use super::tally::Tally;
use crate::liveness::{Node, Numbers, OUTSIDE, UNMET};

/// A component on the search path.
struct Root {
    /// The number of the node it was entered by.
    number: u32,
    /// What is in it.
    tally: Tally,
    /// The edge that leads to it.
    entry: Option<FairEdge>,
}

struct Frame {
    node: Node,
    number: u32,
    /// Its edges are those of the list from here on, the next one last.
    start: usize,
}

/// Looks for a weakly fair accepting lasso.
pub fn search<G: FairGraph>(graph: &mut G) -> FoundFair<G> {
    let initial = graph.initial()?;
    let mut numbers = Numbers::whole();
    let mut visited = 0;
    let mut roots: Vec<Root> = Vec::new();
    let mut live: Vec<Node> = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut edges: Vec<FairEdge> = Vec::new();
    let mut enabled = ActorSet::new();
    for &source in &initial {
        let mut entering = (numbers.get(source) == UNMET).then_some((source, None));
        loop {
            if let Some((node, entry)) = entering.take() {
                visited += 1;
                numbers.set(node, visited);
                let start = edges.len();
                graph.expand(node, &mut edges, &mut enabled)?;
                edges[start..].reverse();
                let mut tally = Tally::default();
                tally.node(&enabled);
                roots.push(Root { number: visited, tally, entry });
                live.push(node);
                frames.push(Frame { node, number: visited, start });
            }
            let Some(frame) = frames.last() else { break };
            if edges.len() == frame.start {
                leave(frame, &mut roots, &mut live, &mut numbers);
                frames.pop();
                continue;
            }
            let Some(edge) = edges.pop() else { break };
            match numbers.get(edge.edge.target) {
                UNMET => entering = Some((edge.edge.target, Some(edge))),
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

/// The edge leads back to a node with this number: all components since then are one.
fn join<'r>(roots: &'r mut Vec<Root>, number: u32, edge: &FairEdge) -> Option<&'r Root> {
    let mut joined = Tally::default();
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

/// If the node was the entry of a component, that is complete now.
fn leave(frame: &Frame, roots: &mut Vec<Root>, live: &mut Vec<Node>, numbers: &mut Numbers) {
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
