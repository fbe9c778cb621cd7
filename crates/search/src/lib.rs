//! Searches over the states of a program.
//!
//! [`reachability`] visits every reachable state of a [`model::System`], depth-first or breadth-first, within
//! [`Limits`], and gives an [`Outcome`]: what is wrong with the program and a run that shows it, how far
//! the search came, and which transitions were ever taken. This crate knows neither Promela nor how
//! successors are computed.
//!
//! Where to look: `arrival` is the one step all searches share, `depth_first` and `breadth_first`
//! are the searches, `store` remembers states, `atomic` gets through endless atomic sequences,
//! [`replay`] makes a counterexample believable.

#![forbid(unsafe_code)]

mod arrival;
mod atomic;
mod breadth_first;
mod coverage;
mod depth_first;
mod limits;
mod outcome;
pub mod replay;
mod store;

pub use coverage::Coverage;
pub use limits::{Limit, Limits};
pub use outcome::{Outcome, Run, Statistics, Verdict, Violation};
pub use store::{StateId, StateSet};

use model::System;

/// In which order states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// SPIN's order. Memory for the path is small, counterexamples may be long.
    #[default]
    DepthFirst,
    /// Counterexamples are shortest, an atomic sequence counted as one step.
    BreadthFirst,
}

/// What to search for, and how far.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    pub order: Order,
    /// Go on after an error, until everything is visited.
    pub all_errors: bool,
    pub limits: Limits<'a>,
}

/// Visits the reachable states of `system` and reports every error met on the way.
pub fn reachability<S: System>(system: &S, options: &Options<'_>) -> Outcome {
    match options.order {
        Order::DepthFirst => depth_first::search(system, options),
        Order::BreadthFirst => breadth_first::search(system, options),
    }
}
