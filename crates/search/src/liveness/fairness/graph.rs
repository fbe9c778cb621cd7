//! What a search for fair cycles sees: a graph that also tells who moves along an edge and who could move in a node.

use super::actors::ActorSet;
use crate::liveness::{Edge, Graph, Lasso, Node};

/// An edge and those who move along it: nobody where a finished run stands still, two for a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairEdge {
    pub edge: Edge,
    pub movers: ActorSet,
}

/// A graph whose steps are somebody's. What an actor is (a process, or a transition of a process) is the graph's choice; the two
/// give the notions of process fairness and of transition fairness.
pub trait FairGraph: Graph {
    /// Appends the edges that leave a node, those of [`Graph::successors`] in the same order, and sets `enabled` to
    /// the actors that could move there. An actor may be enabled though no edge is its own: the property may forbid
    /// the step.
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), Self::Stop>;
}

/// A node of a lasso and the edge by which the lasso leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LassoStep {
    pub node: Node,
    /// Its place among the edges of the node.
    pub edge: usize,
}

/// A lasso that tells edges, not nodes alone: between the same two nodes different actors may move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairLasso {
    pub prefix: Vec<LassoStep>,
    pub cycle: Vec<LassoStep>,
}

impl FairLasso {
    /// Its nodes.
    pub fn lasso(&self) -> Lasso {
        let nodes = |steps: &[LassoStep]| steps.iter().map(|step| step.node).collect();
        Lasso { prefix: nodes(&self.prefix), cycle: nodes(&self.cycle) }
    }
}

/// A fair accepting lasso, if there is one; or why the search did not end.
pub type FoundFair<G> = Result<Option<FairLasso>, <G as Graph>::Stop>;
