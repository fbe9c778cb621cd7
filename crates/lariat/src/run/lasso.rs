//! Infinite runs on the reference semantics: closing the cycle, and the letters that a property
//! reads along the run.

use super::Counterexample;
use super::finite::extend;
use lariat_ir::{Expr, Interpreter, Program, RuntimeError, State, Step};
use lariat_ltl::word::Lasso as Word;
use std::fmt;

/// Why a run does not show that a property is violated. For a run that a search found, this is a
/// bug in Lariat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LassoError {
    /// The program has no initial state with this index.
    NoSuchInitialState(usize),
    /// The step with this index (from 0) cannot be taken.
    NoSuchStep(usize),
    /// A condition has no value after this number of steps.
    NoValue(usize, RuntimeError),
    /// The conditions have other values after a round of the cycle than before it.
    DoesNotClose,
    /// The property holds on the run.
    Allowed,
    /// The run violates the fairness assumption.
    Unfair,
}

impl fmt::Display for LassoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LassoError::NoSuchInitialState(number) => {
                write!(out, "there is no initial state {number}")
            }
            LassoError::NoSuchStep(number) => {
                write!(out, "step {} of the run cannot be taken", number + 1)
            }
            LassoError::NoValue(steps, error) => {
                write!(out, "a condition has no value after {steps} steps: {error}")
            }
            LassoError::DoesNotClose => out.write_str("the cycle does not close"),
            LassoError::Unfair => out.write_str("the run is not fair"),
            LassoError::Allowed => out.write_str("the property is not violated on the run"),
        }
    }
}

impl std::error::Error for LassoError {}

/// By state, the values of the conditions; `None` inside atomic sequences.
pub(crate) fn letters(
    program: &Program,
    conditions: &[Expr],
    states: &[State],
) -> Result<Vec<Option<Vec<bool>>>, LassoError> {
    let interpreter = Interpreter::new(program);
    let letter = |(steps, state): (usize, &State)| {
        if interpreter.is_transient(state) {
            return Ok(None);
        }
        let values = conditions.iter().map(|condition| interpreter.evaluate(state, condition));
        let values: Result<Vec<i32>, RuntimeError> = values.collect();
        let values = values.map_err(|error| LassoError::NoValue(steps, error))?;
        Ok(Some(values.into_iter().map(|value| value != 0).collect()))
    };
    states.iter().enumerate().map(letter).collect()
}

/// The infinite word of a run, given the letters of its states. A cycle inside an atomic sequence
/// is not observed: the word repeats the last observed letter.
pub(crate) fn word(run: &Counterexample, values: &[Option<Vec<bool>>]) -> Word<Vec<bool>> {
    let before = if run.cycle.is_empty() { run.states.len() } else { run.prefix.len() };
    let prefix: Vec<Vec<bool>> = values[..before].iter().flatten().cloned().collect();
    let cycle: Vec<Vec<bool>> = if run.cycle.is_empty() {
        // The prefix alone decides, so any continuation serves.
        prefix.last().cloned().into_iter().collect()
    } else {
        let end = run.prefix.len() + run.cycle.len();
        values[run.prefix.len()..end].iter().flatten().cloned().collect()
    };
    let cycle = if cycle.is_empty() { prefix.last().cloned().into_iter().collect() } else { cycle };
    Word::new(prefix, cycle)
}

/// Repeats the cycle until a state repeats, at most `rounds` times. The search ran on a reduced
/// program, whose states contain fewer variables, so one round may not be enough; a variable that
/// is counted up and never read may prevent closing altogether.
pub(crate) fn close(
    interpreter: &Interpreter<'_>,
    run: &mut Counterexample,
    cycle: &[Step],
    rounds: usize,
) -> Result<(), LassoError> {
    let start = run.states.len() - 1;
    for round in 1..=rounds {
        extend(interpreter, &mut run.states, cycle)?;
        let last = run.states.len() - 1;
        let same = (0..round)
            .find(|earlier| run.states[start + earlier * cycle.len()] == run.states[last]);
        if let Some(first) = same {
            run.prefix.extend(cycle.repeat(first));
            run.cycle = cycle.repeat(round - first);
            roll_back(interpreter, run);
            return Ok(());
        }
    }
    run.states.truncate(start + cycle.len() + 1);
    run.differs = true;
    Ok(())
}

/// Moves the start of the cycle to the earliest possible state outside atomic sequences.
fn roll_back(interpreter: &Interpreter<'_>, run: &mut Counterexample) {
    let round = run.cycle.len();
    let mut earlier = 0;
    for back in 1..=run.prefix.len() {
        let place = run.prefix.len() - back;
        if run.prefix[place] != run.cycle[(round - back % round) % round]
            || run.states[place] != run.states[place + round]
        {
            break;
        }
        if !interpreter.is_transient(&run.states[place]) {
            earlier = back;
        }
    }
    run.cycle.rotate_right(earlier % round);
    run.prefix.truncate(run.prefix.len() - earlier);
    run.states.truncate(run.states.len() - earlier);
}
