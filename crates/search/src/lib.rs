//! Searches over any [`System`]: visit every reachable state, report what goes wrong.
//!
//! [`reachability`] is the way in. `worker` holds what all searches share (expanding states, looking successors up, counting, noting
//! errors); `rounds` lets workers run side by side and acts where one must act alone: growing the store, widening the layout,
//! ending the search. `frontier` holds states to expand, `store` remembers those visited, `select` makes the store that was asked for,
//! `atomic` gets through atomic sequences, `checkpoint` saves a search and resumes it, `predecessors` finds runs, [`unbounded`] tests whether
//! channels can grow forever, [`liveness`] looks for accepting cycles, [`product`] joins a program and a property, [`replay`] makes a counterexample believable.

#![deny(unsafe_code)]

mod apart;
mod atomic;
mod batch;
pub mod branching;
mod checkpoint;
mod coverage;
mod dense;
mod expansion;
mod external;
#[doc(hidden)]
pub mod faults;
mod footprint;
mod frontier;
mod levels;
mod limits;
pub mod liveness;
mod loss;
mod meeting;
mod memory;
mod narrow;
mod outcome;
mod pool;
mod predecessors;
pub mod product;
mod put_off;
mod recent;
#[allow(unsafe_code)]
mod region;
pub mod replay;
mod rounds;
mod runs;
pub mod scratch;
mod select;
mod shuffled;
mod single;
mod sleep;
mod stack;
pub mod store;
mod tally;
#[cfg(test)]
mod testing;
mod threads;
mod turn;
pub mod unbounded;
mod ways;
mod ways_back;
mod ways_in;
#[allow(unsafe_code)]
mod words;
mod worker;

pub use checkpoint::{Checkpoint, ResumeError, Saved, part_of_checkpoint};
pub use coverage::Coverage;
pub use limits::{Limit, Limits, rounded_time};
pub use memory::memory_left;
pub use outcome::{MAX_VIOLATIONS, Outcome, Run, Statistics, Verdict, Violation};
pub use rounds::{Progress, Repetition};
pub use runs::{joined, repeated};
pub use select::{StoreKind, reachability};
pub use shuffled::{Arrangement, Shuffled};
pub use store::{Guarantee, Replacement, Revisits};

use model::RuntimeError;
use pool::Sign;
use std::fmt;
use std::num::NonZeroUsize;
use tally::Tally;

/// In which order states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest states first, a block of them at a time. Few states wait, counterexamples may be long.
    #[default]
    DepthFirst,
    /// Counterexamples are shortest, an atomic sequence counted as one step.
    BreadthFirst,
}

/// What to search for, how, and how far.
#[derive(Clone, Default)]
pub struct Options<'a> {
    pub order: Order,
    /// Go on after an error, until everything is visited.
    pub all_errors: bool,
    pub limits: Limits<'a>,
    /// How many threads search; as many as there are processors if nothing is said.
    pub threads: Option<NonZeroUsize>,
    /// States after which other threads join the first and predecessors are no longer noted; a sensible number if nothing
    /// is said.
    pub join_after: Option<u64>,
    /// Search so many times with different hash functions, where the store has any; 0 is once too.
    pub runs: u64,
    /// What remembers the states.
    pub store: StoreKind,
    /// Save the search when a limit ends it.
    pub checkpoint: Option<Checkpoint<'a>>,
    /// Go on with a saved search.
    pub resume: Option<&'a Saved>,
    /// Told how the search gets on, several times a second.
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

/// When a search may end before everything is visited.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    FirstError,
    Everything,
    /// When each of these has been met.
    Errors(Vec<RuntimeError>),
}

impl Goal {
    /// Ends the search if the goal is reached.
    fn look(&self, tally: &Tally, sign: &Sign) {
        let reached = match self {
            Goal::FirstError => tally.errors > 0,
            Goal::Everything => false,
            Goal::Errors(wanted) => {
                wanted.iter().all(|error| tally.violations.iter().any(|met| met.error == *error))
            }
        };
        if reached {
            sign.stop(None);
        }
    }
}
