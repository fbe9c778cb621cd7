//! The request for a search for forbidden runs and the answer to it.

use crate::Limits;
use crate::limits::Limit;
use crate::liveness::{Algorithm, Halt};
use crate::outcome::{Statistics, Verdict, Violation};
use crate::product::graph::ProductError;
use crate::product::nodes::tail::{PacketFigures, Tail};
use crate::reach::rounds::Progress;
use lariat_ir::RuntimeError;
use lariat_ir::system::Step;
use std::fmt;
use std::num::NonZeroUsize;

/// How short a lasso must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// As found by the search.
    AsFound,
    /// Shortened with bounded effort.
    #[default]
    Shortened,
    /// A shortest lasso.
    Shortest,
}

/// Options of a search for a forbidden run.
#[derive(Clone)]
pub struct Request<'a> {
    /// The search for cycles.
    pub algorithm: Algorithm,
    /// The parallel search to start again with when the product is large and there are several
    /// threads.
    pub when_large: Option<Algorithm>,
    /// The number of nodes from which a product is large; `None` for the default.
    pub join_after: Option<u64>,
    /// How nodes are stored; `None` for the default.
    pub hybrid: Option<Tail>,
    /// How short the lasso must be.
    pub length: Length,
    /// The number of threads of a parallel search; `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
    /// Limits of the search.
    pub limits: Limits<'a>,
    /// Receives progress reports.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { algorithm, when_large, hybrid, length, threads, limits, .. } = self;
        out.debug_struct("Request")
            .field("algorithm", algorithm)
            .field("when_large", when_large)
            .field("hybrid", hybrid)
            .field("length", length)
            .field("threads", threads)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

/// An infinite run: steps from an initial state, then steps that are repeated forever. With an
/// empty cycle it is a bad prefix: every continuation is forbidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LassoRun {
    /// The number of the program's initial state.
    pub initial: usize,
    /// The steps before the cycle.
    pub prefix: Vec<Step>,
    /// The steps of the cycle.
    pub cycle: Vec<Step>,
}

/// The result of a search for forbidden runs.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The search for cycles that gave this answer.
    pub algorithm: Option<Algorithm>,
    /// The product was large, so all threads took part.
    pub joined: bool,
    /// The states of the program were visited by the search for errors, and the search for cycles
    /// began wherever the automaton could leave its initial state.
    pub stem: bool,
    /// A forbidden run, if one was found.
    pub lasso: Option<LassoRun>,
    /// Why a shortest lasso, if requested, is not proven to be shortest.
    pub unproven: Option<Unproven>,
    /// A forbidden run exists, but this limit was reached before its steps were known.
    pub unshown: Option<Limit>,
    /// A condition without a value: the error and a run to a state where it occurs.
    pub failure: Option<Violation>,
    /// The limit that ended the search.
    pub limit: Option<Limit>,
    /// Statistics of the search.
    pub statistics: Statistics,
    /// Statistics of packets, if nodes were stored in packets.
    pub packets: Option<PacketFigures>,
    /// Errors of the program that the search found, one of each kind.
    pub program_errors: Vec<RuntimeError>,
    /// An atomic sequence can run forever.
    pub endless_atomic: bool,
    /// A store that may omit states was used.
    pub may_omit: bool,
}

impl Answer {
    /// The verdict that follows from the answer.
    pub fn verdict(&self) -> Verdict {
        if self.lasso.is_some() || self.failure.is_some() || self.unshown.is_some() {
            Verdict::Violated
        } else if self.limit.is_some() || self.may_omit {
            Verdict::Inconclusive
        } else {
            Verdict::Holds
        }
    }
}

/// Why a lasso is not proven to be shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// A limit of the whole search was reached.
    Limit(Limit),
    /// The search for a shorter lasso, exponential in the worst case, used all units of its effort.
    Effort(u64),
    /// The search for a shorter lasso reached a state where a condition has no value.
    NoValue,
}

impl From<Halt<ProductError>> for Unproven {
    fn from(halt: Halt<ProductError>) -> Unproven {
        match halt {
            Halt::Effort(allowed) => Unproven::Effort(allowed),
            Halt::Graph(ProductError::Limit(limit)) => Unproven::Limit(limit),
            Halt::Graph(ProductError::NoValue(..) | ProductError::NoInitialState(_)) => {
                Unproven::NoValue
            }
            Halt::Graph(ProductError::TooManyNodes | ProductError::FixedLayout) => {
                Unproven::Limit(Limit::Interrupted)
            }
        }
    }
}

impl fmt::Display for Unproven {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::Limit(limit) => limit.fmt(out),
            Unproven::Effort(allowed) => {
                let millions = allowed / 1_000_000;
                write!(
                    out,
                    "the search for a shorter run was given up after {millions} million steps"
                )
            }
            Unproven::NoValue => {
                out.write_str("a condition of the property has no value in some state")
            }
        }
    }
}
