//! What is seen on a set of edges that can be walked round and round, and whether walking it all is accepting and fair.

use super::Strength;
use super::actors::ActorSet;
use super::graph::FairEdge;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    pub marks: u64,
    /// Who moves.
    pub moved: ActorSet,
    /// Who is enabled in every node; nothing if there is no node yet.
    always: Option<ActorSet>,
    /// Who is enabled in some node.
    ever: ActorSet,
}

impl Tally {
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

    pub fn merge(&mut self, other: &Tally) {
        self.marks |= other.marks;
        self.moved.union(&other.moved);
        self.ever.union(&other.ever);
        match (&mut self.always, &other.always) {
            (Some(always), Some(others)) => always.intersect(others),
            (None, others) => self.always.clone_from(others),
            (Some(_), None) => {}
        }
    }

    /// Those who are owed a move: enabled always (weak fairness) or again and again (strong), and never moving.
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
            Strength::Weak => self.always.as_ref().is_none_or(|always| always.is_subset(&self.moved)),
            Strength::Strong => self.ever.is_subset(&self.moved),
        }
    }
}
