//! Strong fairness: nobody is enabled again and again without moving.
//!
//! Strong components are refined (Emerson and Lei 1987; Lichtenstein and Pnueli 1985): where an actor is enabled somewhere in a component but
//! moves nowhere in it, a fair run that stays there avoids the nodes where it is enabled. What is left without them falls into
//! components again. Each round settles an actor, so there are no more rounds than actors.

use super::Strength;
use super::actors::ActorSet;
use super::components::components;
use super::graph::{FairEdge, FairGraph, FoundFair};
use super::lasso::fair_lasso;
use super::tally::Tally;
use crate::liveness::{Node, Numbers, OUTSIDE, UNMET};
use std::collections::HashSet;

/// Looks for a strongly fair accepting lasso. Components are judged as soon as they are complete.
pub fn search<G: FairGraph>(graph: &mut G) -> FoundFair<G> {
    let initial = graph.initial()?;
    let mut numbers = Numbers::whole();
    let mut refinement = Refinement::new(Strength::Strong);
    let found = components(graph, &initial, &mut numbers, |graph, members, cyclic| {
        if cyclic { refinement.fair_part(graph, members) } else { Ok(None) }
    })?;
    let Some(part) = found else { return Ok(None) };
    let part: HashSet<Node> = part.into_iter().collect();
    fair_lasso(graph, &initial, |node| part.contains(&node), Strength::Strong).map(Some)
}

/// Finds the parts of components in which a run can be fair.
#[derive(Debug)]
pub struct Refinement {
    strength: Strength,
    /// The part being looked at: its nodes are not outside.
    part: Numbers,
    edges: Vec<FairEdge>,
    enabled: ActorSet,
}

impl Refinement {
    pub fn new(strength: Strength) -> Refinement {
        Refinement { strength, part: Numbers::nothing(), edges: Vec::new(), enabled: ActorSet::new() }
    }

    /// A strong part of the component, with a cycle, such that walking all of it is accepting and fair; if there is
    /// one. Precondition: the members are strongly connected by at least one edge.
    pub fn fair_part<G: FairGraph>(
        &mut self,
        graph: &mut G,
        members: &[Node],
    ) -> Result<Option<Vec<Node>>, G::Stop> {
        let mut waiting = vec![members.to_vec()];
        while let Some(members) = waiting.pop() {
            let tally = self.tally(graph, &members)?;
            if tally.is_fair(self.strength, graph.all_marks()) {
                return Ok(Some(members));
            }
            // Of fewer nodes, fewer edges: marks do not come back. And weak fairness cannot gain by avoiding nodes.
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
            kept.iter().for_each(|&member| self.part.set(member, UNMET));
            let found = components(graph, &kept, &mut self.part, |_, members, cyclic| {
                if cyclic {
                    waiting.push(members.to_vec());
                }
                Ok(None::<()>)
            });
            found?;
        }
        Ok(None)
    }

    fn tally<G: FairGraph>(&mut self, graph: &mut G, members: &[Node]) -> Result<Tally, G::Stop> {
        members.iter().for_each(|&member| self.part.set(member, UNMET));
        let mut tally = Tally::default();
        for &member in members {
            self.edges.clear();
            graph.expand(member, &mut self.edges, &mut self.enabled)?;
            tally.node(&self.enabled);
            let inner = self.edges.iter().filter(|edge| self.part.get(edge.edge.target) == UNMET);
            inner.for_each(|edge| tally.edge(edge));
        }
        members.iter().for_each(|&member| self.part.set(member, OUTSIDE));
        Ok(tally)
    }
}
