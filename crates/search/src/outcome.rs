//! The outcome of a search: verdict, errors with their runs, statistics.

use crate::limits::Limit;
use crate::reach::coverage::Coverage;
use crate::store::{Guarantee, Revisits};
use lariat_ir::{RuntimeError, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// The verdict of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every reachable state was visited, and there is no error.
    Holds,
    /// There is an error.
    Violated,
    /// A limit ended the search before an error was found.
    Inconclusive,
}

/// A run from an initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The index of the initial state.
    pub initial: usize,
    /// The steps from it.
    pub steps: Vec<Step>,
}

/// An error and a run that ends with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The error.
    pub error: RuntimeError,
    /// The run that ends with it.
    pub run: Run,
}

/// Counts (as SPIN counts), memory and time of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States stored, including the initial ones.
    pub states: u64,
    /// Transitions between stored states, plus one for each initial state.
    pub transitions: u64,
    /// Steps that end inside an atomic sequence. Statements merged into one step
    /// (`lariat_ir::reduce`) count once; SPIN counts each.
    pub atomic_steps: u64,
    /// Depth-first: the length of the longest path by which a state was first reached.
    /// Breadth-first: the number of levels.
    pub depth: u64,
    /// The size of a packed state.
    pub state_bytes: u64,
    /// The size of the store.
    pub store_bytes: u64,
    /// The peak resident memory of the process.
    pub memory_bytes: u64,
    /// The time of the search.
    pub time: Duration,
    /// Replacements and revisits, if the store replaces states.
    pub revisits: Option<Revisits>,
    /// The number of states when memory ran out and they were compressed, if that happened.
    pub compressed: Option<u64>,
    /// How often the layout was widened because a value did not fit it.
    pub widenings: u64,
}

impl Statistics {
    /// The number of distinct states visited. If states were replaced, this is an estimate, and
    /// `states` counts every visit.
    pub fn different_states(&self) -> u64 {
        self.forgotten().map_or(self.states, |revisits| revisits.distinct.min(revisits.insertions))
    }

    /// Replacements and revisits, if a state was replaced.
    pub fn forgotten(&self) -> Option<Revisits> {
        self.revisits.filter(|revisits| revisits.replaced > 0)
    }
}

/// The outcome of a search.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The errors, each with a run: one for each distinct error, in the order in which they were
    /// found, at most [`MAX_VIOLATIONS`].
    pub violations: Vec<Violation>,
    /// Errors without a run: a limit was reached before it was found.
    pub unshown: Vec<RuntimeError>,
    /// The number of times an error was found, including repetitions.
    pub errors: u64,
    /// The kinds of all errors found.
    pub error_kinds: BTreeSet<&'static str>,
    /// The limit that kept the search from being exhaustive.
    pub limit: Option<Limit>,
    /// The phase in which the limit was reached, if that was before the search.
    pub phase: Option<&'static str>,
    /// Whether the store may have omitted states.
    pub guarantee: Guarantee,
    /// Whether every reachable state was certainly visited.
    pub exhaustive: bool,
    /// Whether an atomic sequence can run forever.
    pub endless_atomic: bool,
    /// Counts, memory and time.
    pub statistics: Statistics,
    /// The transitions taken.
    pub coverage: Coverage,
    /// Why the search could not be saved or resumed.
    pub checkpoint_failure: Option<String>,
    /// Whether the search was saved when a limit ended it.
    pub saved: bool,
}

/// The number of distinct errors that an outcome lists.
pub const MAX_VIOLATIONS: usize = 16;

impl Outcome {
    /// The outcome if computing the initial states is an error of the program.
    pub fn without_start(error: RuntimeError) -> Outcome {
        Outcome {
            errors: 1,
            error_kinds: BTreeSet::from([error.kind()]),
            exhaustive: true,
            violations: vec![Violation { error, run: Run::default() }],
            ..Outcome::default()
        }
    }

    /// The outcome if a limit was reached in a phase before the search.
    pub fn not_begun(limit: Limit, phase: &'static str) -> Outcome {
        Outcome { limit: Some(limit), phase: Some(phase), ..Outcome::default() }
    }

    /// Adds the errors of an abandoned search that this one restarted: unless exhaustive, this one
    /// may have ended before it found them again.
    pub(crate) fn keep_errors_of(&mut self, abandoned: Outcome) {
        if self.exhaustive {
            return;
        }
        self.errors = self.errors.max(abandoned.errors);
        self.error_kinds.extend(abandoned.error_kinds);
        for violation in abandoned.violations {
            let is_known = self.violations.iter().any(|known| known.error == violation.error);
            if !is_known && self.violations.len() < MAX_VIOLATIONS {
                self.violations.push(violation);
            }
        }
    }

    /// Discounts an error whose run could not be replayed within a limit. Precondition: the error
    /// was removed from `violations`.
    pub fn leave_open(&mut self, error: &RuntimeError, limit: Limit) {
        self.errors = if self.violations.is_empty() { 0 } else { self.errors.saturating_sub(1) };
        self.error_kinds.remove(error.kind());
        self.exhaustive = false;
        self.limit.get_or_insert(limit);
    }

    /// The verdict.
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
