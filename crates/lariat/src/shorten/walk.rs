//! Following a list of steps on the reference semantics, to see whether they still show what the run is to show.

use super::Way;
use model::system::nothing_moves;
use model::{Budget, Interpreter, Program, RuntimeError, State, Step, Successor};
use std::cell::Cell;

/// What a run is to show.
pub trait Goal {
    /// Does this step show it, so that nothing need follow?
    fn is_shown_by(&self, taken: &Successor) -> bool;

    /// The way, as far as it is needed, if it shows it; behind its last state are these successors.
    fn shown_by(&self, interpreter: &Interpreter<'_>, way: Way, successors: &[Successor]) -> Option<Way>;
}

/// The run ends with an error.
pub struct Fails<'a>(pub &'a RuntimeError);

impl Goal for Fails<'_> {
    fn is_shown_by(&self, taken: &Successor) -> bool {
        taken.errors.contains(self.0)
    }

    fn shown_by(&self, interpreter: &Interpreter<'_>, way: Way, successors: &[Successor]) -> Option<Way> {
        let state = way.states.last()?;
        let is_error = if *self.0 == RuntimeError::InvalidEndState {
            nothing_moves(successors) && !interpreter.is_valid_end(state)
        } else {
            let mut violated = Vec::new();
            if !interpreter.is_transient(state) {
                interpreter.violated_invariants(state, &mut violated);
            }
            violated.contains(self.0)
        };
        is_error.then_some(way)
    }
}

pub struct Walker<'a, G> {
    interpreter: Interpreter<'a>,
    goal: G,
    work: Cell<u64>,
    budget: &'a Budget,
}

impl<'a, G: Goal> Walker<'a, G> {
    pub fn new(program: &'a Program, goal: G, work: u64, budget: &'a Budget) -> Walker<'a, G> {
        Walker { interpreter: Interpreter::new(program), goal, work: Cell::new(work), budget }
    }

    /// Is all the work done that may be done?
    pub fn is_tired(&self) -> bool {
        self.work.get() == 0 || self.budget.is_over()
    }

    /// The first `start` steps of the way, then the steps given, as long as they can be taken. Ends where
    /// the goal is reached; nothing if it is not.
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
                return self.goal.shown_by(&self.interpreter, Way { steps, states }, &successors);
            };
            let taken = |found: &&Successor| found.step == *step;
            let showing = successors.iter().filter(taken).find(|found| self.goal.is_shown_by(found));
            let found = showing.or_else(|| successors.iter().find(taken))?;
            steps.push(found.step);
            states.extend(found.state.clone());
            if self.goal.is_shown_by(found) {
                return Some(Way { steps, states });
            }
            found.state.as_ref()?;
        }
    }

    fn expand(&self, state: &State, out: &mut Vec<Successor>) -> Option<()> {
        if self.budget.is_over() {
            return None;
        }
        self.work.set(self.work.get().checked_sub(1)?);
        self.interpreter.successors(state, out);
        Some(())
    }
}
