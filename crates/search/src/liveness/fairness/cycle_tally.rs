//! The marks and actors on a strongly connected set of edges, and whether a run that takes all of
//! these edges forever is accepting and fair.

use super::Strength;
use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::fairness::graph::FairEdge;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CycleTally {
    pub marks: u64,
    /// The actors that move.
    pub moved: ActorSet,
    /// The actors that are enabled in every node; `None` without nodes.
    always: Option<ActorSet>,
    /// The actors that are enabled in some node.
    ever: ActorSet,
}

impl CycleTally {
    pub fn node(&mut self, enabled: &ActorSet) {
        match &mut self.always {
            Some(always) => always.intersect(enabled),
            None => self.always = Some(enabled.clone()),
        }
        self.ever.union(enabled);
    }

    pub fn edge(&mut self, edge: &FairEdge) {
        self.marks |= edge.edge.marks;
        self.moved.union(&edge.movers);
    }

    pub fn merge(&mut self, other: &CycleTally) {
        self.marks |= other.marks;
        self.moved.union(&other.moved);
        self.ever.union(&other.ever);
        match (&mut self.always, &other.always) {
            (Some(always), Some(others)) => always.intersect(others),
            (None, others) => self.always.clone_from(others),
            (Some(_), None) => {}
        }
    }

    /// The actors that fairness requires to move and that never move: those enabled always (weak
    /// fairness) or infinitely often (strong fairness).
    pub fn owed(&self, strength: Strength) -> ActorSet {
        let mut owed = match strength {
            Strength::Weak => self.always.clone().unwrap_or_default(),
            Strength::Strong => self.ever.clone(),
        };
        owed.subtract(&self.moved);
        owed
    }

    pub fn is_fair(&self, strength: Strength, all_marks: u64) -> bool {
        if self.marks != all_marks {
            return false;
        }
        match strength {
            Strength::Weak => {
                self.always.as_ref().is_none_or(|always| always.is_subset(&self.moved))
            }
            Strength::Strong => self.ever.is_subset(&self.moved),
        }
    }
}
