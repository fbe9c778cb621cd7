//! The graph that a search for fair cycles explores: it also has the actors that move along an edge
//! and those that are enabled in a node.

use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::{Edge, Graph, Lasso, Node};

/// An edge and the actors that move along it: none where a finished run stutters, two for a
/// rendezvous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairEdge {
    /// The edge.
    pub edge: Edge,
    /// The actors that move.
    pub movers: ActorSet,
}

/// A graph whose steps belong to actors. The graph decides whether an actor is a process or a
/// transition of a process, which gives process fairness or transition fairness.
pub trait FairGraph: Graph {
    /// Appends the edges that leave a node, in the order of [`Graph::successors`], and sets
    /// `enabled` to the actors that are enabled there. An enabled actor may have no edge, since the
    /// property may forbid its step.
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), Self::Error>;
}

/// A node of a lasso and the edge by which the lasso leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LassoStep {
    /// The node.
    pub node: Node,
    /// The position among the edges of the node.
    pub edge: usize,
}

/// A lasso of edges: different actors may move between the same two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairLasso {
    /// The steps before the cycle.
    pub prefix: Vec<LassoStep>,
    /// The steps of the cycle.
    pub cycle: Vec<LassoStep>,
}

impl FairLasso {
    /// The nodes of the lasso.
    pub fn lasso(&self) -> Lasso {
        let nodes = |steps: &[LassoStep]| steps.iter().map(|step| step.node).collect();
        Lasso { prefix: nodes(&self.prefix), cycle: nodes(&self.cycle) }
    }
}

/// A fair accepting lasso, if there is one; or why the search did not end.
pub type FoundFair<G> = Result<Option<FairLasso>, <G as Graph>::Error>;
