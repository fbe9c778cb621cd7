//! Cycles that are fair: the four notions of Peled's survey (section 6), weak and strong, for processes and for transitions.
//!
//! The graph says who its actors are ([`FairGraph`]); [`search`] finds an accepting lasso on which they are treated fairly, if there is one.
//! `weak` and `strong` are the searches, by strong components; [`FlagCounters`] brings weak fairness to the nested searches;
//! `lasso` builds the run that is shown, `shortest` one than which none is shorter. A run that ends is fair, whatever it left undone: nobody could move any more.

mod actors;
mod components;
mod counted;
mod flags;
mod graph;
mod lasso;
mod shortest;
mod strong;
mod tally;
mod weak;

pub use actors::ActorSet;
pub use components::components;
pub use flags::{FlagCounters, FlagStop};
pub use graph::{FairEdge, FairGraph, FairLasso, FoundFair, LassoStep};
pub use shortest::shortest;
pub use strong::Refinement;

/// Who must be treated fairly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    Process,
    /// A transition of one process; that of another instance of the same process type is another.
    Transition,
}

/// When an actor must move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// When it is enabled forever from some point on.
    Weak,
    /// When it is enabled again and again.
    Strong,
}

/// A notion of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fairness {
    pub strength: Strength,
    pub actor: Actor,
}

impl Fairness {
    pub const ALL: [Fairness; 4] = [
        Fairness { strength: Strength::Weak, actor: Actor::Process },
        Fairness { strength: Strength::Strong, actor: Actor::Process },
        Fairness { strength: Strength::Weak, actor: Actor::Transition },
        Fairness { strength: Strength::Strong, actor: Actor::Transition },
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match (self.strength, self.actor) {
            (Strength::Weak, Actor::Process) => "weak-process",
            (Strength::Strong, Actor::Process) => "strong-process",
            (Strength::Weak, Actor::Transition) => "weak-transition",
            (Strength::Strong, Actor::Transition) => "strong-transition",
        }
    }
}

/// Looks for an accepting lasso that is fair to all actors of the graph.
pub fn search<G: FairGraph>(graph: &mut G, strength: Strength) -> FoundFair<G> {
    match strength {
        Strength::Weak => weak::search(graph),
        Strength::Strong => strong::search(graph),
    }
}

#[cfg(test)]
mod tests;
