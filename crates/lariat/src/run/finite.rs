//! Finite runs: a path with its states, following steps on the reference semantics, and whether a
//! run of a given length fits into memory.

use super::LassoError;
use lariat_ir::system::nothing_moves;
use lariat_ir::{Interpreter, Program, State, Step};
use lariat_search::{Limits, memory_left};

/// Steps, and the states before, between and after them. An error can leave the last step without
/// a state.
#[derive(Clone, Debug)]
pub struct Path {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The first state, then the state after each step.
    pub states: Vec<State>,
}

/// Memory per step, besides states, while a run is shortened and reported.
const REPORTED_STEP_BYTES: usize = 600;
/// Upper bound on the copies of a state that exist while a run is shortened and reported.
const STATE_COPIES: usize = 4;
/// Runs of at most this many steps are shown regardless of the memory limit.
const ALWAYS_SHOWN_STEPS: usize = 1000;

/// Is there enough memory left to replay and show a run of this length?
pub(crate) fn can_be_shown(program: &Program, steps: usize, limits: &Limits<'_>) -> bool {
    if steps <= ALWAYS_SHOWN_STEPS {
        return true;
    }
    let Some(left) = memory_left(limits.memory_bytes) else { return true };
    let initial = Interpreter::new(program).initial_states().unwrap_or_default();
    let state = initial.first().map_or(0, State::memory_bytes);
    let needed = steps.saturating_mul(STATE_COPIES * state + REPORTED_STEP_BYTES);
    needed as u64 <= left
}

/// The states along `steps`, beginning with the initial state of index `initial`.
pub(crate) fn follow(
    program: &Program,
    initial: usize,
    steps: &[Step],
) -> Result<Vec<State>, LassoError> {
    let interpreter = Interpreter::new(program);
    let start =
        interpreter.initial_states().ok().and_then(|states| states.into_iter().nth(initial));
    let mut states = vec![start.ok_or(LassoError::NoSuchInitialState(initial))?];
    extend(&interpreter, &mut states, steps)?;
    Ok(states)
}

/// Takes `steps` from the last of `states` and appends the states they lead to.
pub(crate) fn extend(
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
