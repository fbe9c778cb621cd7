//! Infinite runs of a program, taken step by step by the reference semantics.

use model::system::nothing_moves;
use model::{Expr, Interpreter, Program, RuntimeError, State, Step};
use omega::word::Lasso as Word;
use search::product::LassoRun;
use std::fmt;

/// An infinite run of the program that violates a property, replayed.
#[derive(Clone, Debug)]
pub struct Lasso {
    pub initial: usize,
    pub prefix: Vec<Step>,
    /// Repeated forever. Empty if the prefix alone shows the violation, whatever follows.
    pub cycle: Vec<Step>,
    /// The states before, between and behind all these steps.
    pub states: Vec<State>,
    /// The conditions of the property, as the user wrote them.
    pub atoms: Vec<String>,
    /// By state: which of them hold; nothing inside of atomic sequences, where the property does not look.
    pub values: Vec<Option<Vec<bool>>>,
    /// The last state differs from the first of the cycle, though only in values that nobody reads.
    pub differs: bool,
    /// What the property itself reports: the assertion of a claim that fails.
    pub reported: Option<String>,
}

impl Lasso {
    /// The run without its states.
    pub fn run(&self) -> LassoRun {
        LassoRun { initial: self.initial, prefix: self.prefix.clone(), cycle: self.cycle.clone() }
    }

    /// All its steps, one round of the cycle.
    pub fn steps(&self) -> Vec<Step> {
        self.prefix.iter().chain(&self.cycle).copied().collect()
    }
}

/// The run is not what it was said to be: a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LassoError {
    NoSuchInitialState(usize),
    /// The step with this number (from 0) cannot be taken.
    NoSuchStep(usize),
    /// A condition has no value after so many steps.
    NoValue(usize, RuntimeError),
    /// After a round of the cycle the conditions do not have the values they had.
    DoesNotClose,
    /// The property is not violated.
    Allowed,
    /// Somebody is not treated fairly.
    Unfair,
}

impl fmt::Display for LassoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LassoError::NoSuchInitialState(number) => write!(out, "there is no initial state {number}"),
            LassoError::NoSuchStep(number) => write!(out, "step {} of the run cannot be taken", number + 1),
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

/// The states along steps from an initial state: one more than steps.
pub(super) fn follow(program: &Program, initial: usize, steps: &[Step]) -> Result<Vec<State>, LassoError> {
    let interpreter = Interpreter::new(program);
    let start = interpreter.initial_states().ok().and_then(|states| states.into_iter().nth(initial));
    let mut states = vec![start.ok_or(LassoError::NoSuchInitialState(initial))?];
    extend(&interpreter, &mut states, steps)?;
    Ok(states)
}

/// Goes on from the last state.
pub(super) fn extend(
    interpreter: &Interpreter<'_>,
    states: &mut Vec<State>,
    steps: &[Step],
) -> Result<(), LassoError> {
    let mut successors = Vec::new();
    for step in steps {
        let number = states.len() - 1;
        successors.clear();
        interpreter.successors(&states[number], &mut successors);
        if *step == Step::STUTTER {
            if !nothing_moves(&successors) {
                return Err(LassoError::NoSuchStep(number));
            }
            states.push(states[number].clone());
            continue;
        }
        successors.retain(|successor| successor.step == *step);
        let next = successors.drain(..).find_map(|successor| successor.state);
        states.push(next.ok_or(LassoError::NoSuchStep(number))?);
    }
    Ok(())
}

/// By state, which conditions hold; nothing inside of atomic sequences.
pub(super) fn letters(
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

/// What is read along the run, given the letters of its states. A cycle inside an atomic sequence is
/// not observed: what is read is the last observed state, forever.
pub(super) fn word(lasso: &Lasso, values: &[Option<Vec<bool>>]) -> Word<Vec<bool>> {
    let before = if lasso.cycle.is_empty() { lasso.states.len() } else { lasso.prefix.len() };
    let prefix: Vec<Vec<bool>> = values[..before].iter().flatten().cloned().collect();
    let cycle: Vec<Vec<bool>> = if lasso.cycle.is_empty() {
        // Whatever follows will do.
        prefix.last().cloned().into_iter().collect()
    } else {
        let end = lasso.prefix.len() + lasso.cycle.len();
        values[lasso.prefix.len()..end].iter().flatten().cloned().collect()
    };
    let cycle = if cycle.is_empty() { prefix.last().cloned().into_iter().collect() } else { cycle };
    Word::new(prefix, cycle)
}
