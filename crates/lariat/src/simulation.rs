//! One run at a time: the enabled steps of a state, taking one, stepping back. Who chooses is the caller's business.

use crate::run::{ShownStep, show_step};
use model::{Interpreter, Program, RuntimeError, State, Step, Successor};

/// A run in the making.
#[derive(Debug)]
pub struct Simulation<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
    /// The states so far; never empty.
    states: Vec<State>,
    choices: Vec<Choice>,
    refusals: Vec<RuntimeError>,
}

/// A step that can be taken now.
#[derive(Clone, Debug)]
pub struct Choice {
    pub step: Step,
    pub shown: ShownStep,
    /// What the step prints.
    pub output: String,
    pub errors: Vec<RuntimeError>,
    next: Option<State>,
}

/// Why no step can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// No process is left.
    AllEnded,
    /// All processes are where they may rest.
    Valid,
    /// Some process waits for what never comes.
    Invalid,
    /// An error stopped the last step half way.
    Stopped,
}

impl<'p> Simulation<'p> {
    pub fn new(program: &'p Program) -> Result<Simulation<'p>, RuntimeError> {
        let interpreter = Interpreter::new(program);
        let states = interpreter.initial_states()?;
        let mut simulation =
            Simulation { program, interpreter, states, choices: Vec::new(), refusals: Vec::new() };
        // Of several initial states the first is taken.
        simulation.states.truncate(1);
        simulation.look();
        Ok(simulation)
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The state reached, unless there is no initial one.
    pub fn state(&self) -> Option<&State> {
        self.states.last()
    }

    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// Errors of the last state itself: finding out that some step is not enabled was one.
    pub fn refusals(&self) -> &[RuntimeError] {
        &self.refusals
    }

    /// Takes one of the [`choices`](Self::choices); returns it, and whether there is a state behind it.
    pub fn take(&mut self, index: usize) -> (Choice, bool) {
        let choice = self.choices.swap_remove(index);
        let reached = choice.next.clone();
        self.choices.clear();
        self.refusals.clear();
        let goes_on = reached.is_some();
        if let Some(state) = reached {
            self.states.push(state);
            self.look();
        }
        (choice, goes_on)
    }

    /// Undoes the last step, if there is one.
    pub fn back(&mut self) -> bool {
        if self.states.len() < 2 {
            return false;
        }
        self.states.pop();
        self.look();
        true
    }

    /// Why there are no choices.
    pub fn end(&self) -> End {
        match self.state() {
            Some(state) if state.processes.is_empty() => End::AllEnded,
            Some(state) if self.interpreter.is_valid_end(state) => End::Valid,
            Some(_) => End::Invalid,
            None => End::Stopped,
        }
    }

    /// Finds the choices of the last state. Control that must be given up is given up.
    fn look(&mut self) {
        self.choices.clear();
        self.refusals.clear();
        let Some(state) = self.states.last_mut() else { return };
        (self.choices, self.refusals) = choices(self.interpreter, state);
    }
}

/// The steps that can be taken in a state, and errors of the state itself. Control that must be given up is given
/// up in the state first.
pub fn choices(interpreter: Interpreter<'_>, state: &mut State) -> (Vec<Choice>, Vec<RuntimeError>) {
    let (mut choices, mut refusals) = (Vec::new(), Vec::new());
    loop {
        let mut successors = interpreter.successors_with_output(state);
        if let [(Successor { step: Step::Release(_), state: Some(released), .. }, _)] = &mut successors[..] {
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
                choices.push(Choice { step, shown, output, errors, next });
            }
        }
        return (choices, refusals);
    }
}

impl Choice {
    /// The state behind the step, unless an error stops it half way.
    pub fn next(&self) -> Option<&State> {
        self.next.as_ref()
    }
}
