//! What one thread counted and found.

use crate::coverage::Coverage;
use crate::outcome::{MAX_VIOLATIONS, Run, Violation};
use crate::ways::Ways;
use model::RuntimeError;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub states: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub errors: u64,
    /// By kind, the first error of it.
    pub error_kinds: BTreeMap<&'static str, RuntimeError>,
    pub violations: Vec<Violation>,
    /// Errors that were met where no run to them is known.
    pub unshown: Vec<RuntimeError>,
    pub coverage: Coverage,
    /// If states may be omitted: what that loses.
    pub ways: Ways,
    pub endless_atomic: bool,
    /// A state was not expanded because it is too deep.
    pub too_deep: bool,
}

impl Tally {
    /// All that were made, those within atomic sequences too.
    pub fn steps(&self) -> u64 {
        self.transitions + self.atomic_steps
    }

    /// Counts an error; `run` is asked for if it is the first of its kind.
    pub fn note(&mut self, error: RuntimeError, run: impl FnOnce() -> Option<Run>) {
        self.errors += 1;
        self.error_kinds.entry(error.kind()).or_insert_with(|| error.clone());
        let known = self.violations.iter().any(|known| known.error == error) || self.unshown.contains(&error);
        if known || self.violations.len() + self.unshown.len() >= MAX_VIOLATIONS {
            return;
        }
        match run() {
            Some(run) => self.violations.push(Violation { error, run }),
            None => self.unshown.push(error),
        }
    }

    /// Adds what another thread counted.
    pub fn join(&mut self, other: &Tally) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.atomic_steps += other.atomic_steps;
        self.depth = self.depth.max(other.depth);
        self.errors += other.errors;
        for (kind, error) in &other.error_kinds {
            self.error_kinds.entry(kind).or_insert_with(|| error.clone());
        }
        for violation in &other.violations {
            if self.violations.iter().all(|known| known.error != violation.error) {
                self.violations.push(violation.clone());
            }
        }
        for error in &other.unshown {
            if !self.unshown.contains(error) {
                self.unshown.push(error.clone());
            }
        }
        let shown = &self.violations;
        self.unshown.retain(|error| shown.iter().all(|known| known.error != *error));
        self.coverage.join(&other.coverage);
        self.ways.join(&other.ways);
        self.endless_atomic |= other.endless_atomic;
        self.too_deep |= other.too_deep;
    }
}
