//! The counts and errors of one thread.

use crate::omission::in_degree::InDegreeSample;
use crate::outcome::{MAX_VIOLATIONS, Run, Violation};
use crate::reach::coverage::Coverage;
use lariat_ir::RuntimeError;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub states: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub errors: u64,
    /// The first error of each kind.
    pub error_kinds: BTreeMap<&'static str, RuntimeError>,
    pub violations: Vec<Violation>,
    /// Errors found without a run to them.
    pub unshown: Vec<RuntimeError>,
    pub coverage: Coverage,
    /// In-degrees of a sample of states, if the store may omit states.
    pub ways: InDegreeSample,
    pub endless_atomic: bool,
    /// Some state was not expanded because of the depth limit.
    pub too_deep: bool,
}

impl Tally {
    /// All steps, including those within atomic sequences.
    pub fn steps(&self) -> u64 {
        self.transitions + self.atomic_steps
    }

    /// Counts an error; `run` reconstructs the run to it if the error is new.
    pub fn note(&mut self, error: RuntimeError, run: impl FnOnce() -> Option<Run>) {
        self.errors += 1;
        self.error_kinds.entry(error.kind()).or_insert_with(|| error.clone());
        let known = self.violations.iter().any(|known| known.error == error)
            || self.unshown.contains(&error);
        if known || self.violations.len() + self.unshown.len() >= MAX_VIOLATIONS {
            return;
        }
        match run() {
            Some(run) => self.violations.push(Violation { error, run }),
            None => self.unshown.push(error),
        }
    }

    /// Adds the counts of another thread.
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
