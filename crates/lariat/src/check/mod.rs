//! Deciding properties. Errors are found by [`safety`]. A property of infinite runs passes through
//! [`automaton`], [`plan`], [`execute`] and [`verdict`]; a branching-time formula through
//! `branching`. Nothing here prints.

pub mod automaton;
mod branching;
pub mod execute;
mod fair;
mod judge;
pub mod plan;
pub mod reduction;
pub mod remedy;
pub mod safety;
mod systems;
mod unreached;
pub mod verdict;

pub use automaton::Unsuitable;
pub use branching::BranchingJudge;
pub use judge::{Judge, Judges};
pub use remedy::Remedy;
pub use safety::SafetyResult;
pub(crate) use systems::{Programs, Systems};
pub use unreached::Unreached;
pub use verdict::{PropertyResult, check_property};

use crate::property::Assumption;
use crate::run::LassoError;
use lariat_ir::{Budget, Program, RuntimeError};
use lariat_jit::EngineKind;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::Tail;
use lariat_search::replay::ReplayError;
use std::fmt;
use std::time::Duration;

/// The implementation that computes successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter for small state spaces, machine code for larger ones.
    #[default]
    Automatic,
    /// Machine code generated for the program.
    Native,
    /// The reference semantics.
    Interpreter,
}

impl Engine {
    /// Prepares the program for a search, within a budget.
    ///
    /// # Errors
    /// The error of the program that occurs while its initial states are computed.
    pub fn system<'p>(
        self,
        program: &'p Program,
        budget: &Budget,
    ) -> Result<lariat_jit::Engine<'p>, RuntimeError> {
        let kind = match self {
            Engine::Automatic => EngineKind::Automatic,
            Engine::Native => EngineKind::Compiled,
            Engine::Interpreter => EngineKind::Interpreted,
        };
        lariat_jit::Engine::with_budget(program, kind, budget)
    }
}

/// How properties are checked. The order, limits, threads and store of a search are
/// [`lariat_search::Options`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The implementation that computes successors.
    pub engine: Engine,
    /// Use no reduction that changes states or transitions.
    pub raw: bool,
    /// The cycle search; `None` chooses one that suits the property.
    pub algorithm: Option<Algorithm>,
    /// Visit the product of program and automaton once without deciding anything.
    pub explore: bool,
    /// Hybrid storage of the product; `None` chooses the storage.
    pub hybrid: Option<Tail>,
    /// Find a shortest counterexample.
    pub shortest: bool,
    /// Consider only runs that are fair in this sense.
    pub fairness: Option<Fairness>,
    /// Consider only runs that all of these automata accept.
    pub assumptions: Vec<Assumption>,
    /// Shorten counterexamples and reduce their context switches.
    pub simplify: bool,
    /// Find out which fairness assumption would make a violated property hold.
    pub remedy: bool,
    /// The time limit for each property.
    pub time_per_property: Option<Duration>,
}

impl Settings {
    /// Is a storage requested that differs from the default one?
    fn is_hybrid(&self) -> bool {
        self.hybrid.is_some_and(|tail| tail != Tail::Demon)
    }
}

/// Phases before a search, for messages about limits that were reached in one of them.
const REDUCING: &str = "while the model was reduced";
const COMPILING: &str = "while the model was compiled";

/// A run that a search found could not be replayed: a bug in Lariat.
#[derive(Debug)]
pub enum ReplayFailure {
    /// A run that violates a property.
    Lasso(LassoError),
    /// A run to an error.
    Error(ReplayError),
}

impl fmt::Display for ReplayFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayFailure::Lasso(error) => write!(out, "{error}"),
            ReplayFailure::Error(error) => write!(out, "{error}"),
        }
    }
}

impl std::error::Error for ReplayFailure {}

/// Identifies a program, so that a saved search or run is used only with the same program.
pub fn fingerprint(program: &Program, raw: bool) -> u64 {
    rapidhash::v3::rapidhash_v3(lariat_ir::text::print(program).as_bytes()) ^ u64::from(raw)
}
