//! The options of a reachability search, and the goal that ends it.

use super::StoreKind;
use super::checkpoint::{Checkpoint, SavedSearch};
use super::rounds::Progress;
use super::tally::Tally;
use super::work_pool::StopSignal;
use crate::limits::Limits;
use lariat_ir::RuntimeError;
use std::fmt;
use std::num::NonZeroUsize;

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest states first, a block at a time. The frontier is small, counterexamples may be
    /// long.
    #[default]
    DepthFirst,
    /// Level by level. Counterexamples are shortest, counting an atomic sequence as one step.
    BreadthFirst,
}

/// How to search, and how far.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The order in which states are visited.
    pub order: Order,
    /// Continue after an error until every state is visited.
    pub all_errors: bool,
    /// Depth, states, memory and time.
    pub limits: Limits<'a>,
    /// The number of threads; by default the number of processors.
    pub threads: Option<NonZeroUsize>,
    /// The number of states after which other threads join the first one and predecessors are no
    /// longer recorded; by default a constant.
    pub join_after: Option<u64>,
    /// The number of searches with different hash functions, if the store has any; 0 means 1.
    pub runs: u64,
    /// The visited set.
    pub store: StoreKind,
    /// Save the search when a limit ends it.
    pub checkpoint: Option<Checkpoint<'a>>,
    /// Continue a saved search.
    pub resume: Option<&'a SavedSearch>,
    /// Called with the progress of the search several times a second.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Options")
            .field("order", &self.order)
            .field("all_errors", &self.all_errors)
            .field("limits", &self.limits)
            .field("threads", &self.threads)
            .field("join_after", &self.join_after)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// When a search may end before every state is visited.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    /// At the first error.
    FirstError,
    /// Never.
    Everything,
    /// When there is a run to each of these errors.
    Errors(Vec<RuntimeError>),
}

impl Goal {
    /// Ends the search if the goal is reached.
    pub fn end_if_reached(&self, tally: &Tally, signal: &StopSignal) {
        let reached = match self {
            Goal::FirstError => tally.errors > 0,
            Goal::Everything => false,
            Goal::Errors(wanted) => wanted
                .iter()
                .all(|error| tally.violations.iter().any(|found| found.error == *error)),
        };
        if reached {
            signal.end_search(None);
        }
    }
}
