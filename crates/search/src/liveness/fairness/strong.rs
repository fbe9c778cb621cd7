//! Strong fairness: an actor that is enabled infinitely often moves infinitely often.
//!
//! Strong components are refined (Emerson and Lei 1987; Lichtenstein and Pnueli 1985): if an actor
//! is enabled somewhere in a component but moves nowhere in it, a fair run that stays there avoids
//! the nodes where the actor is enabled. The other nodes are decomposed into components again. Each
//! round settles an actor, so there are at most as many rounds as actors.

use super::Strength;
use crate::liveness::components::components;
use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::fairness::cycle_tally::CycleTally;
use crate::liveness::fairness::graph::{FairEdge, FairGraph, FoundFair};
use crate::liveness::fairness::lasso::fair_lasso;
use crate::liveness::{Node, OUTSIDE, UNVISITED, VisitNumbers};
use std::collections::HashSet;

/// Searches for a strongly fair accepting lasso. Components are examined as soon as they are
/// complete.
pub fn search<G: FairGraph>(graph: &mut G) -> FoundFair<G> {
    let initial = graph.initial()?;
    let mut numbers = VisitNumbers::all_unvisited();
    let mut refinement = Refinement::new(Strength::Strong);
    let found = components(graph, &initial, &mut numbers, |graph, component| {
        if component.cyclic { refinement.fair_part(graph, component.members) } else { Ok(None) }
    })?;
    let Some(part) = found else { return Ok(None) };
    let part: HashSet<Node> = part.into_iter().collect();
    fair_lasso(graph, &initial, |node| part.contains(&node), Strength::Strong).map(Some)
}

/// Finds the parts of components in which a run can be fair.
#[derive(Debug)]
pub struct Refinement {
    strength: Strength,
    /// The part that is examined: its nodes are not [`OUTSIDE`].
    part: VisitNumbers,
    edges: Vec<FairEdge>,
    enabled: ActorSet,
}

impl Refinement {
    /// For weak or strong fairness.
    pub fn new(strength: Strength) -> Refinement {
        Refinement {
            strength,
            part: VisitNumbers::all_outside(),
            edges: Vec::new(),
            enabled: ActorSet::new(),
        }
    }

    /// A strongly connected part of the component such that a run that takes all its edges forever
    /// is accepting and fair; `None` if there is none. Precondition: the members are strongly
    /// connected by at least one edge.
    pub fn fair_part<G: FairGraph>(
        &mut self,
        graph: &mut G,
        members: &[Node],
    ) -> Result<Option<Vec<Node>>, G::Error> {
        let mut waiting = vec![members.to_vec()];
        while let Some(members) = waiting.pop() {
            let tally = self.tally(graph, &members)?;
            if tally.is_fair(self.strength, graph.all_marks()) {
                return Ok(Some(members));
            }
            // A part cannot have more marks, and avoiding nodes does not help with weak fairness.
            if tally.marks != graph.all_marks() || self.strength == Strength::Weak {
                continue;
            }
            let owed = tally.owed(self.strength);
            let mut kept = Vec::new();
            for &member in &members {
                self.edges.clear();
                graph.expand(member, &mut self.edges, &mut self.enabled)?;
                if !self.enabled.intersects(&owed) {
                    kept.push(member);
                }
            }
            kept.iter().for_each(|&member| self.part.set(member, UNVISITED));
            let found = components(graph, &kept, &mut self.part, |_, component| {
                if component.cyclic {
                    waiting.push(component.members.to_vec());
                }
                Ok(None::<()>)
            });
            found?;
        }
        Ok(None)
    }

    fn tally<G: FairGraph>(
        &mut self,
        graph: &mut G,
        members: &[Node],
    ) -> Result<CycleTally, G::Error> {
        members.iter().for_each(|&member| self.part.set(member, UNVISITED));
        let mut tally = CycleTally::default();
        for &member in members {
            self.edges.clear();
            graph.expand(member, &mut self.edges, &mut self.enabled)?;
            tally.node(&self.enabled);
            let inner =
                self.edges.iter().filter(|edge| self.part.get(edge.edge.target) == UNVISITED);
            inner.for_each(|edge| tally.edge(edge));
        }
        members.iter().for_each(|&member| self.part.set(member, OUTSIDE));
        Ok(tally)
    }
}
