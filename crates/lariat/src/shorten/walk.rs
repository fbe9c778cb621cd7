//! Following a list of steps on the reference semantics, to see whether it still ends with the error.

use super::Way;
use model::system::nothing_moves;
use model::{Interpreter, Program, RuntimeError, State, Step};
use std::cell::Cell;

pub struct Walker<'a> {
    interpreter: Interpreter<'a>,
    error: &'a RuntimeError,
    work: Cell<u64>,
}

impl<'a> Walker<'a> {
    pub fn new(program: &'a Program, error: &'a RuntimeError, work: u64) -> Walker<'a> {
        Walker { interpreter: Interpreter::new(program), error, work: Cell::new(work) }
    }

    /// Is all the work done that may be done?
    pub fn is_tired(&self) -> bool {
        self.work.get() == 0
    }

    /// The first `start` steps of the way, then the steps given, as long as they can be taken. Ends where
    /// the error appears; nothing if it does not.
    pub fn from(&self, way: &Way, start: usize, wanted: &[Step]) -> Option<Way> {
        let mut steps = way.steps[..start].to_vec();
        let mut states = way.states[..=start.min(way.states.len().checked_sub(1)?)].to_vec();
        let mut wanted = wanted.iter().filter(|step| !matches!(step, Step::Release(_)));
        loop {
            let mut successors = Vec::new();
            self.expand(states.last()?, &mut successors)?;
            if let [only] = successors.as_slice()
                && let (Step::Release(_), Some(state)) = (only.step, &only.state)
            {
                // Control that must be given up is given up, whether or not that was so before.
                steps.push(only.step);
                states.push(state.clone());
                continue;
            }
            let Some(step) = wanted.next() else {
                return self.is_error(states.last()?, &successors).then_some(Way { steps, states });
            };
            let taken = |found: &&model::Successor| found.step == *step;
            let failing = successors.iter().filter(taken).find(|found| found.errors.contains(self.error));
            let found = failing.or_else(|| successors.iter().find(taken))?;
            steps.push(found.step);
            states.extend(found.state.clone());
            if found.errors.contains(self.error) {
                return Some(Way { steps, states });
            }
            found.state.as_ref()?;
        }
    }

    fn expand(&self, state: &State, out: &mut Vec<model::Successor>) -> Option<()> {
        self.work.set(self.work.get().checked_sub(1)?);
        self.interpreter.successors(state, out);
        Some(())
    }

    /// Is the state itself the error?
    fn is_error(&self, state: &State, successors: &[model::Successor]) -> bool {
        if *self.error == RuntimeError::InvalidEndState {
            return nothing_moves(successors) && !self.interpreter.is_valid_end(state);
        }
        let mut violated = Vec::new();
        if !self.interpreter.is_transient(state) {
            self.interpreter.violated_invariants(state, &mut violated);
        }
        violated.contains(self.error)
    }
}
