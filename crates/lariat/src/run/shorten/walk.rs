//! Follows a list of steps on the reference semantics and decides whether they reach a goal.

use super::Path;
use lariat_ir::system::nothing_moves;
use lariat_ir::{Budget, Interpreter, Program, RuntimeError, State, Step, Successor};
use std::cell::Cell;

/// What a run must show.
pub trait Goal {
    /// Does this step reach the goal, whatever follows?
    fn is_shown_by(&self, taken: &Successor) -> bool;

    /// Can a path that ends in this state reach the goal? `successors` are those of the state.
    fn can_end_in(
        &self,
        interpreter: &Interpreter<'_>,
        state: &State,
        successors: &[Successor],
    ) -> bool;

    /// The needed part of a path if it reaches the goal. Precondition: it can end in its last
    /// state.
    fn shown_by(&self, path: Path) -> Option<Path>;
}

/// The run ends with an error.
pub struct Fails<'a>(pub &'a RuntimeError);

impl Goal for Fails<'_> {
    fn is_shown_by(&self, taken: &Successor) -> bool {
        taken.errors.contains(self.0)
    }

    fn can_end_in(
        &self,
        interpreter: &Interpreter<'_>,
        state: &State,
        successors: &[Successor],
    ) -> bool {
        if *self.0 == RuntimeError::InvalidEndState {
            return nothing_moves(successors) && !interpreter.is_valid_end(state);
        }
        let mut violated = Vec::new();
        if !interpreter.is_transient(state) {
            interpreter.violated_invariants(state, &mut violated);
        }
        violated.contains(self.0)
    }

    fn shown_by(&self, path: Path) -> Option<Path> {
        Some(path)
    }
}

/// Follows steps towards a goal, within a number of expansions.
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

    /// Are the expansions or the budget used up?
    pub fn is_exhausted(&self) -> bool {
        self.work.get() == 0 || self.budget.is_over()
    }

    /// The first `start` steps of the path, followed by the steps in `wanted` up to the step that
    /// reaches the goal. `None` if a step cannot be taken or the goal is not reached.
    pub fn from(&self, path: &Path, start: usize, wanted: &[Step]) -> Option<Path> {
        let first = start.min(path.states.len().checked_sub(1)?);
        let (mut steps, mut states) = (Vec::new(), vec![path.states[first].clone()]);
        // Most walks fail early, so the unchanged part of a long path is copied at the end only.
        let complete = |steps: Vec<Step>, states: Vec<State>| Path {
            steps: [&path.steps[..start], &steps].concat(),
            states: [&path.states[..first], &states].concat(),
        };
        let mut wanted = wanted.iter().filter(|step| !matches!(step, Step::Release(_)));
        loop {
            let mut successors = Vec::new();
            self.expand(states.last()?, &mut successors)?;
            if let [only] = successors.as_slice()
                && let (Step::Release(_), Some(state)) = (only.step, &only.state)
            {
                // A forced release of control is taken whether or not the list contains it.
                steps.push(only.step);
                states.push(state.clone());
                continue;
            }
            let Some(step) = wanted.next() else {
                let state = states.last()?;
                let can_end = self.goal.can_end_in(&self.interpreter, state, &successors);
                return self.goal.shown_by(can_end.then(|| complete(steps, states))?);
            };
            let taken = |found: &&Successor| found.step == *step;
            let showing =
                successors.iter().filter(taken).find(|found| self.goal.is_shown_by(found));
            let found = showing.or_else(|| successors.iter().find(taken))?;
            steps.push(found.step);
            states.extend(found.state.clone());
            if self.goal.is_shown_by(found) {
                return Some(complete(steps, states));
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
