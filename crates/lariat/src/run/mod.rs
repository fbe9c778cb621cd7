//! Runs of a model: the counterexample that a check shows, and everything done with it: following
//! it on the reference semantics, shortening, drawing, saving, and exchanging it with SPIN.
//!
//! | module | owns |
//! |---|---|
//! | [`finite`] | a finite run with its states; following steps |
//! | [`lasso`] | infinite runs: closing the cycle, the letters that a property reads |
//! | [`steps`] | a step as people read it |
//! | [`shorten`] | the same violation by fewer steps and context switches |
//! | [`trace`] | a run as drawings need it |
//! | [`trail`] | SPIN's `.trail` files |
//! | [`saved`], [`replay`] | counterexamples in files, and following them in an edited model |

pub mod finite;
pub mod lasso;
pub mod replay;
pub mod saved;
pub mod shorten;
pub mod steps;
pub mod trace;
pub mod trail;

pub use finite::Path;
pub use lasso::LassoError;

use crate::report::counterexample;
use crate::report::text::Style;
use lariat_ir::{Program, RuntimeError, State, Step};
use lariat_search::Run;
use lariat_search::product::LassoRun;
use std::fmt;
use std::sync::Arc;

/// A run of a model that shows a verdict, replayed on the reference semantics. `Display` prints it
/// as text.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The program that the steps belong to.
    pub program: Arc<Program>,
    /// What the run shows.
    pub shows: Evidence,
    /// The index of the initial state in which the run starts.
    pub initial: usize,
    /// The steps before the cycle; all steps if the run is finite.
    pub prefix: Vec<Step>,
    /// Repeated forever. Empty if the prefix alone shows the verdict.
    pub cycle: Vec<Step>,
    /// The initial state, then the state after each step. An error can leave the last step without
    /// a state.
    pub states: Vec<State>,
    /// The conditions of the property, as the user wrote them.
    pub atoms: Vec<String>,
    /// By state: the value of each condition; `None` inside an atomic sequence, where the property
    /// is not evaluated.
    pub values: Vec<Option<Vec<bool>>>,
    /// After one round of the cycle the state differs from the first state of the cycle, but only
    /// in variables that are never read.
    pub differs: bool,
}

/// What a run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The last step or the last state has this error.
    Error(RuntimeError),
    /// A condition of the property has no value in the last state.
    NoValue(RuntimeError),
    /// The run violates a property of single runs. If the property is a claim with an assertion
    /// that fails: the message.
    Violation(Option<String>),
    /// The run shows why a branching-time formula does, or does not, hold.
    StateFormula {
        /// The verdict on the formula.
        holds: bool,
    },
}

impl Counterexample {
    /// A finite run and its states.
    pub(crate) fn finite(
        program: &Arc<Program>,
        shows: Evidence,
        run: Run,
        states: Vec<State>,
    ) -> Counterexample {
        Counterexample {
            program: Arc::clone(program),
            shows,
            initial: run.initial,
            prefix: run.steps,
            cycle: Vec::new(),
            states,
            atoms: Vec::new(),
            values: Vec::new(),
            differs: false,
        }
    }

    /// The error with which the run ends, or that leaves a condition of the property without value.
    pub fn error(&self) -> Option<&RuntimeError> {
        match &self.shows {
            Evidence::Error(error) | Evidence::NoValue(error) => Some(error),
            Evidence::Violation(_) | Evidence::StateFormula { .. } => None,
        }
    }

    /// The message of the assertion that fails in a claim.
    pub fn reported(&self) -> Option<&str> {
        if let Evidence::Violation(reported) = &self.shows { reported.as_deref() } else { None }
    }

    /// Does the run repeat a cycle forever?
    pub fn is_infinite(&self) -> bool {
        !self.cycle.is_empty()
    }

    /// All steps, with one round of the cycle.
    pub fn steps(&self) -> Vec<Step> {
        self.prefix.iter().chain(&self.cycle).copied().collect()
    }

    /// The index of the first step of the cycle.
    pub fn cycle_start(&self) -> Option<usize> {
        self.is_infinite().then_some(self.prefix.len())
    }

    /// The steps without the states.
    pub(crate) fn lasso(&self) -> LassoRun {
        LassoRun { initial: self.initial, prefix: self.prefix.clone(), cycle: self.cycle.clone() }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&counterexample::render(self, Style::default()))
    }
}
