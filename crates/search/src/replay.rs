//! Replaying a run on the reference semantics, step by step from the initial state. Every
//! counterexample is replayed before it is reported.

use crate::limits::Limit;
use crate::outcome::{Run, Violation};
use lariat_ir::{Interpreter, RuntimeError, State, Step};
use std::fmt;

/// The states of a run; one more than steps, unless an error aborted the last step.
pub type States = Vec<State>;

/// Why a run cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// There is no initial state with this index.
    NoSuchInitialState(usize),
    /// A step is not enabled.
    NoSuchStep {
        /// Its index in the run.
        number: usize,
        /// The step.
        step: Step,
    },
    /// The run ends without the error.
    NoSuchError(RuntimeError),
    /// The last step did not end within this limit, so the error is not confirmed.
    Unfinished(Limit),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoSuchInitialState(number) => {
                write!(out, "there is no initial state {number}")
            }
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

/// Replays the run of a violation and checks that it ends with its error; returns the states.
///
/// # Errors
/// The run or the error cannot be reproduced.
pub fn replay(system: &Interpreter<'_>, violation: &Violation) -> Result<States, ReplayError> {
    follow(system, violation, Keep::All)
}

/// Like [`replay`], without keeping the states, for runs that are too long for that.
///
/// # Errors
/// The run or the error cannot be reproduced.
pub fn confirm(system: &Interpreter<'_>, violation: &Violation) -> Result<(), ReplayError> {
    follow(system, violation, Keep::Last).map(drop)
}

/// The states of a run to keep.
#[derive(PartialEq, Eq)]
enum Keep {
    All,
    Last,
}

fn follow(
    system: &Interpreter<'_>,
    violation: &Violation,
    keep: Keep,
) -> Result<States, ReplayError> {
    let Violation { error, run: Run { initial, steps } } = violation;
    let mut states = match system.initial_states() {
        Ok(mut states) if *initial < states.len() => vec![states.swap_remove(*initial)],
        Err(found) if found == *error => return Ok(Vec::new()),
        _ => return Err(ReplayError::NoSuchInitialState(*initial)),
    };
    let mut successors = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let missing = || ReplayError::NoSuchStep { number, step: *step };
        let last = number + 1 == steps.len();
        successors.clear();
        system.successors(states.last().ok_or_else(missing)?, &mut successors);
        successors.retain(|successor| successor.step == *step);
        if last
            && let Some(found) = successors.iter().position(|found| found.errors.contains(error))
        {
            states.extend(successors.swap_remove(found).state);
            return Ok(states);
        }
        if last
            && let Some(limit) =
                successors.iter().flat_map(|found| &found.errors).find_map(Limit::of)
        {
            return Err(ReplayError::Unfinished(limit));
        }
        let state = successors.drain(..).find_map(|successor| successor.state);
        let state = state.ok_or_else(missing)?;
        if keep == Keep::Last {
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
        && lariat_ir::system::nothing_moves(&successors)
        && !system.is_valid_end(end)
    {
        return Ok(states);
    }
    Err(ReplayError::NoSuchError(error.clone()))
}
