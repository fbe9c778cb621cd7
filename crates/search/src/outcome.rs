//! What a search found: verdict, errors with runs that show them, figures.

use crate::coverage::Coverage;
use crate::limits::Limit;
use crate::store::{Guarantee, Revisits};
use model::{RuntimeError, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything reachable was visited, nothing is wrong.
    Holds,
    Violated,
    /// A limit ended the search before an error was found.
    Inconclusive,
}

/// A run from an initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Which of the system's initial states.
    pub initial: usize,
    pub steps: Vec<Step>,
}

/// An error and a run that ends with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    pub error: RuntimeError,
    pub run: Run,
}

/// Figures, counted as SPIN counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States stored, the initial ones included.
    pub states: u64,
    /// Arrivals at states that are stored, whether new or known; the initial ones included.
    pub transitions: u64,
    /// Steps that end inside an atomic sequence. Steps of the program that were joined (`model::reduce`) are one; SPIN counts each.
    pub atomic_steps: u64,
    /// Depth-first: the most moves on a way by which a state was first reached. Breadth-first: the number of levels.
    pub depth: u64,
    /// The length of a packed state.
    pub state_bytes: u64,
    /// What the store of visited states takes.
    pub store_bytes: u64,
    pub memory_bytes: u64,
    pub time: Duration,
    /// If the store forgets states: how often that mattered.
    pub revisits: Option<Revisits>,
    /// How many states there were when memory grew short and they were compressed.
    pub compressed: Option<u64>,
}

impl Statistics {
    /// How many different states were visited. If some were forgotten and visited again, that is an
    /// estimate, and `states` counts every visit.
    pub fn different_states(&self) -> u64 {
        self.forgotten().map_or(self.states, |revisits| revisits.distinct.min(revisits.insertions))
    }

    /// How often states were visited again, if any were forgotten.
    pub fn forgotten(&self) -> Option<Revisits> {
        self.revisits.filter(|revisits| revisits.replaced > 0)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One for each different error, the first found first; see [`MAX_VIOLATIONS`].
    pub violations: Vec<Violation>,
    /// Errors that were met, but a limit was reached before the runs to them were found.
    pub unshown: Vec<RuntimeError>,
    /// How often an error was met.
    pub errors: u64,
    pub error_kinds: BTreeSet<&'static str>,
    /// What kept the search from being exhaustive, other than a first error.
    pub limit: Option<Limit>,
    /// The phase before the search in which that limit was reached, if it was.
    pub phase: Option<&'static str>,
    /// What the store promises.
    pub guarantee: Guarantee,
    /// Was everything reachable visited, for sure?
    pub exhaustive: bool,
    /// An atomic sequence can run forever without reaching a state that is stored.
    pub endless_atomic: bool,
    pub statistics: Statistics,
    pub coverage: Coverage,
    /// Why the search could not be saved, or not resumed.
    pub checkpoint_failure: Option<String>,
    /// The search was saved when it ended before everything was visited.
    pub saved: bool,
}

/// Different errors kept with a run each.
pub const MAX_VIOLATIONS: usize = 16;

impl Outcome {
    /// There is no initial state: making one is an error of the program.
    pub fn without_start(error: RuntimeError) -> Outcome {
        Outcome {
            errors: 1,
            error_kinds: BTreeSet::from([error.kind()]),
            exhaustive: true,
            violations: vec![Violation { error, run: Run::default() }],
            ..Outcome::default()
        }
    }

    /// A limit was reached before there was anything to search.
    pub fn not_begun(limit: Limit, phase: &'static str) -> Outcome {
        Outcome { limit: Some(limit), phase: Some(phase), ..Outcome::default() }
    }

    /// A search that was given up had met these errors. This one, which has begun again, may not have come so far.
    pub(crate) fn keep_errors_of(&mut self, given_up: Outcome) {
        if self.exhaustive {
            return;
        }
        self.errors = self.errors.max(given_up.errors);
        self.error_kinds.extend(given_up.error_kinds);
        for violation in given_up.violations {
            let is_known = self.violations.iter().any(|known| known.error == violation.error);
            if !is_known && self.violations.len() < MAX_VIOLATIONS {
                self.violations.push(violation);
            }
        }
    }

    /// An error could not be confirmed: replaying its run was stopped by this limit. Precondition: it is not among `violations`
    /// any more.
    pub fn leave_open(&mut self, error: &RuntimeError, limit: Limit) {
        self.errors = if self.violations.is_empty() { 0 } else { self.errors.saturating_sub(1) };
        self.error_kinds.remove(error.kind());
        self.exhaustive = false;
        self.limit.get_or_insert(limit);
    }

    pub fn verdict(&self) -> Verdict {
        if self.errors > 0 {
            Verdict::Violated
        } else if self.exhaustive {
            Verdict::Holds
        } else {
            Verdict::Inconclusive
        }
    }
}
