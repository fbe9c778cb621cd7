//! Fair cycles: the four notions of Peled's survey (section 6), weak and strong, for processes and
//! for transitions.
//!
//! The graph defines the actors ([`FairGraph`]); [`search`] finds an accepting lasso that is fair
//! to them. `weak` and `strong` are the searches, by strong components; [`FlagCounters`] adds weak
//! fairness to the nested searches; `lasso` builds the run that is shown, `shortest` a shortest
//! one. A run that ends is fair, since no actor is enabled any more.

mod actors;
mod counter_numbering;
mod cycle_tally;
mod flag_counters;
mod graph;
mod lasso;
mod shortest;
mod strong;
mod weak;

pub use actors::ActorSet;
pub use flag_counters::{CounterError, FlagCounters};
pub use graph::{FairEdge, FairGraph, FairLasso, FoundFair, LassoStep};
pub use shortest::shortest;
pub use strong::Refinement;

/// The actors that must be treated fairly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// Processes.
    Process,
    /// A transition of one process. Another instance of the process type has other transitions.
    Transition,
}

/// When an actor must move infinitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// If it is enabled forever from some point on.
    Weak,
    /// If it is enabled infinitely often.
    Strong,
}

/// A notion of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fairness {
    /// When an actor must move.
    pub strength: Strength,
    /// The kind of actor.
    pub actor: Actor,
}

impl Fairness {
    /// All notions.
    pub const ALL: [Fairness; 4] = [
        Fairness { strength: Strength::Weak, actor: Actor::Process },
        Fairness { strength: Strength::Strong, actor: Actor::Process },
        Fairness { strength: Strength::Weak, actor: Actor::Transition },
        Fairness { strength: Strength::Strong, actor: Actor::Transition },
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match (self.strength, self.actor) {
            (Strength::Weak, Actor::Process) => "weak-process",
            (Strength::Strong, Actor::Process) => "strong-process",
            (Strength::Weak, Actor::Transition) => "weak-transition",
            (Strength::Strong, Actor::Transition) => "strong-transition",
        }
    }
}

/// Searches for an accepting lasso that is fair to all actors of the graph.
pub fn search<G: FairGraph>(graph: &mut G, strength: Strength) -> FoundFair<G> {
    match strength {
        Strength::Weak => weak::search(graph),
        Strength::Strong => strong::search(graph),
    }
}

#[cfg(test)]
mod tests;
