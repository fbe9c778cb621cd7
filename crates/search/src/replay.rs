//! Replaying a run: step by step from the initial state, so that nobody sees a counterexample the reference
//! semantics does not agree with.

use crate::limits::Limit;
use crate::outcome::{Run, Violation};
use model::{Interpreter, RuntimeError, State, Step};
use std::fmt;

/// The states of a run; one more than steps, unless an error stopped the last step half way.
pub type States = Vec<State>;

/// The system does not do what a run says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    NoSuchInitialState(usize),
    /// The step with this number (from 0) cannot be taken.
    NoSuchStep {
        number: usize,
        step: Step,
    },
    /// All steps can be taken, but the error does not appear.
    NoSuchError(RuntimeError),
    /// The last step was not finished within this limit, so it is not known whether the error appears.
    Unfinished(Limit),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoSuchInitialState(number) => write!(out, "there is no initial state {number}"),
            ReplayError::NoSuchStep { number, .. } => {
                write!(out, "step {} of the run cannot be taken", number + 1)
            }
            ReplayError::NoSuchError(error) => write!(out, "the run does not end with: {error}"),
            ReplayError::Unfinished(limit) => {
                write!(out, "the last step of the run was not finished: {limit}")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Follows a violation's run and checks that it ends with its error.
pub fn replay(system: &Interpreter<'_>, violation: &Violation) -> Result<States, ReplayError> {
    follow(system, violation, true)
}

/// The same without keeping the states, for a run that is too long for that.
pub fn confirm(system: &Interpreter<'_>, violation: &Violation) -> Result<(), ReplayError> {
    follow(system, violation, false).map(drop)
}

/// The states of the run, or only the last if they are not to be kept.
fn follow(system: &Interpreter<'_>, violation: &Violation, keep: bool) -> Result<States, ReplayError> {
    let Violation { error, run: Run { initial, steps } } = violation;
    let mut states = match system.initial_states() {
        Ok(mut states) if *initial < states.len() => vec![states.swap_remove(*initial)],
        Err(met) if met == *error => return Ok(Vec::new()),
        _ => return Err(ReplayError::NoSuchInitialState(*initial)),
    };
    let mut successors = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let missing = || ReplayError::NoSuchStep { number, step: *step };
        let last = number + 1 == steps.len();
        successors.clear();
        system.successors(states.last().ok_or_else(missing)?, &mut successors);
        successors.retain(|successor| successor.step == *step);
        if last && let Some(found) = successors.iter().position(|found| found.errors.contains(error)) {
            states.extend(successors.swap_remove(found).state);
            return Ok(states);
        }
        if last && let Some(limit) = successors.iter().flat_map(|found| &found.errors).find_map(Limit::of) {
            return Err(ReplayError::Unfinished(limit));
        }
        let state = successors.drain(..).find_map(|successor| successor.state);
        let state = state.ok_or_else(missing)?;
        if !keep {
            states.clear();
        }
        states.push(state);
    }
    let end = states.last().ok_or(ReplayError::NoSuchInitialState(*initial))?;
    let mut violated = Vec::new();
    if !system.is_transient(end) {
        system.violated_invariants(end, &mut violated);
    }
    if violated.contains(error) {
        return Ok(states);
    }
    successors.clear();
    system.successors(end, &mut successors);
    if *error == RuntimeError::InvalidEndState
        && model::system::nothing_moves(&successors)
        && !system.is_valid_end(end)
    {
        return Ok(states);
    }
    Err(ReplayError::NoSuchError(error.clone()))
}
