//! Running a model step by step: the enabled steps of a state, taking one, stepping back. The
//! caller chooses the steps.

use crate::error::Error;
use crate::initial::initial_states;
use crate::run::steps::{ShownStep, show_step};
use lariat_ir::budget::UNLIMITED;
use lariat_ir::interp::Patience;
use lariat_ir::{Budget, Interpreter, Program, RuntimeError, State, Step, Successor};
use std::sync::Arc;

/// A run that grows step by step.
#[derive(Debug)]
pub struct Simulation<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
    /// The states so far.
    states: Vec<State>,
    choices: Vec<EnabledStep>,
    refusals: Vec<RuntimeError>,
}

/// A step that is enabled in the current state.
#[derive(Clone, Debug)]
pub struct EnabledStep {
    /// The step.
    pub step: Step,
    /// The step as text.
    pub shown: ShownStep,
    /// The output of the step.
    pub output: String,
    /// The errors of the step.
    pub errors: Vec<RuntimeError>,
    next: Option<State>,
}

/// Why no step is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// No process is left.
    AllEnded,
    /// All processes are in valid end states.
    Valid,
    /// A process is blocked outside a valid end state.
    Invalid,
    /// An error stopped the last step.
    Stopped,
}

impl<'p> Simulation<'p> {
    /// Starts in the first initial state.
    ///
    /// # Errors
    /// The error that occurs while the initial state is computed.
    pub fn new(program: &'p Program) -> Result<Simulation<'p>, RuntimeError> {
        let states = Interpreter::new(program).initial_states()?;
        Ok(Simulation::from_states(program, states, &UNLIMITED))
    }

    /// Like [`new`](Simulation::new), within a budget: a `d_step` that has not finished when the
    /// budget ends is an error of its step ([`RuntimeError::is_limit`]).
    ///
    /// # Errors
    /// A limit was reached while the initial state was computed. The inner error is the error of
    /// the program that occurs there.
    pub fn within(
        program: &'p Arc<Program>,
        budget: &'p Budget,
    ) -> Result<Result<Simulation<'p>, RuntimeError>, Error> {
        let states = initial_states(program, budget)?;
        Ok(states.map(|states| Simulation::from_states(program, states, budget)))
    }

    fn from_states(
        program: &'p Program,
        mut states: Vec<State>,
        budget: &'p Budget,
    ) -> Simulation<'p> {
        states.truncate(1);
        let interpreter = Interpreter::new(program).with_patience(Patience::until(budget.flag()));
        let (choices, refusals) = (Vec::new(), Vec::new());
        let mut simulation = Simulation { program, interpreter, states, choices, refusals };
        simulation.expand();
        simulation
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The current state; `None` if the program has no initial state.
    pub fn state(&self) -> Option<&State> {
        self.states.last()
    }

    /// The enabled steps.
    pub fn choices(&self) -> &[EnabledStep] {
        &self.choices
    }

    /// Errors in the evaluation of guards in the current state.
    pub fn refusals(&self) -> &[RuntimeError] {
        &self.refusals
    }

    /// Takes one of the [`choices`](Self::choices). Returns the step, and whether it leads to a
    /// state.
    pub fn take(&mut self, index: usize) -> (EnabledStep, bool) {
        let choice = self.choices.swap_remove(index);
        let reached = choice.next.clone();
        self.choices.clear();
        self.refusals.clear();
        let goes_on = reached.is_some();
        if let Some(state) = reached {
            self.states.push(state);
            self.expand();
        }
        (choice, goes_on)
    }

    /// Undoes the last step; `false` if there is none.
    pub fn back(&mut self) -> bool {
        if self.states.len() < 2 {
            return false;
        }
        self.states.pop();
        self.expand();
        true
    }

    /// Why no step is enabled.
    pub fn end(&self) -> End {
        match self.state() {
            Some(state) if state.processes.is_empty() => End::AllEnded,
            Some(state) if self.interpreter.is_valid_end(state) => End::Valid,
            Some(_) => End::Invalid,
            None => End::Stopped,
        }
    }

    /// Computes the enabled steps of the last state, after forced releases of control.
    fn expand(&mut self) {
        self.choices.clear();
        self.refusals.clear();
        let Some(state) = self.states.last_mut() else { return };
        (self.choices, self.refusals) = choices(self.interpreter, state);
    }
}

/// The enabled steps of a state, and the errors in the evaluation of guards. Forced releases of
/// control are applied to the state first.
pub fn choices(
    interpreter: Interpreter<'_>,
    state: &mut State,
) -> (Vec<EnabledStep>, Vec<RuntimeError>) {
    let (mut choices, mut refusals) = (Vec::new(), Vec::new());
    loop {
        let mut successors = interpreter.successors_with_output(state);
        if let [(Successor { step: Step::Release(_), state: Some(released), .. }, _)] =
            &mut successors[..]
        {
            *state = released.clone();
            continue;
        }
        for (successor, output) in successors {
            let Successor { step, state: next, errors } = successor;
            if let Step::Refused(_) = step {
                refusals.extend(errors);
                continue;
            }
            if let Some(shown) = show_step(interpreter.program(), &step, state, next.as_ref()) {
                choices.push(EnabledStep { step, shown, output, errors, next });
            }
        }
        return (choices, refusals);
    }
}

impl EnabledStep {
    /// The state after the step, unless an error stops it.
    pub fn next(&self) -> Option<&State> {
        self.next.as_ref()
    }
}
