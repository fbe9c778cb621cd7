//! The initial states of a program, computed within a budget.

use crate::error::Error;
use lariat_ir::{Budget, Interpreter, Program, RuntimeError, State};
use std::sync::Arc;

/// Each variable of an initial condition needs a stack frame.
const STACK_BYTES: usize = 64 << 20;

/// The phase named when a limit is reached.
const PHASE: &str = "while the initial states were computed: the initial condition leaves too many \
                     values open, so give its variables smaller ranges";

/// The initial states, or the error of the program that occurs while they are computed.
///
/// An initial condition is solved by trying all values of its variables, which can take
/// practically forever; then this runs on a thread that is abandoned when the budget ends.
///
/// # Errors
/// A limit was reached.
pub fn initial_states(
    program: &Arc<Program>,
    budget: &Budget,
) -> Result<Result<Vec<State>, RuntimeError>, Error> {
    if program.initial_condition.is_none() {
        return Ok(Interpreter::new(program).initial_states());
    }
    let program = Arc::clone(program);
    let found = budget.run(STACK_BYTES, move |_| Interpreter::new(&program).initial_states());
    found.map_err(|limit| Error::Exhausted { limit, phase: PHASE })
}

/// Finds out whether the initial states can be computed within the budget, for code that computes
/// them without one.
///
/// # Errors
/// A limit was reached.
pub fn ensure_initial_states(program: &Arc<Program>, budget: &Budget) -> Result<(), Error> {
    match program.initial_condition {
        Some(_) => initial_states(program, budget).map(drop),
        None => Ok(()),
    }
}
