//! Counterexamples that last: saved with what they were found in, and followed again after the model was edited.
//!
//! A saved step names its process and the text of its statement, so lines may move and other code may change. Where
//! several steps fit, the one at the recorded line is tried first, and the others if that leads nowhere.

use crate::load::Define;
use crate::run::{Mover, show_step};
use model::{Interpreter, Program, RuntimeError, State, Step, Successor};
use serde::{Deserialize, Serialize};

/// Counts up when the meaning of the file changes.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    pub format: u32,
    /// The model, as it was named.
    pub model: String,
    pub defines: Vec<Define>,
    /// Tells whether the model is still the same, in hexadecimal digits.
    pub fingerprint: String,
    pub error: RuntimeError,
    pub initial: usize,
    pub steps: Vec<SavedStep>,
    /// If the run is infinite: the step with which its cycle begins.
    pub cycle: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStep {
    /// One, or sender and receiver.
    pub moves: Vec<SavedMove>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMove {
    pub process: String,
    pub file: String,
    pub line: u32,
    pub statement: String,
}

impl From<&Mover> for SavedMove {
    fn from(mover: &Mover) -> SavedMove {
        SavedMove {
            process: mover.process.clone(),
            file: mover.file.clone(),
            line: mover.line,
            statement: mover.statement.clone(),
        }
    }
}

/// What became of a saved run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It still ends with the error.
    StillFails,
    /// It now shows another error.
    FailsOtherwise { step: usize, error: RuntimeError },
    /// All its steps can be taken, and nothing is wrong any more.
    Fixed,
    /// A step, counted from 0, that cannot be taken any more.
    Diverges { step: usize },
}

/// A saved run as the model takes it now.
#[derive(Clone, Debug)]
pub struct Followed {
    pub result: Replayed,
    pub steps: Vec<Step>,
    pub states: Vec<State>,
    /// Where it diverges: what can be done instead.
    pub instead: Vec<SavedStep>,
}

/// The fingerprint of a program, as it is saved.
pub fn fingerprint(program: &Program) -> String {
    format!("{:016x}", crate::check::fingerprint(program, false))
}

impl SavedRun {
    pub fn new(
        name: &str,
        defines: &[Define],
        program: &Program,
        found: &crate::check::Counterexample,
    ) -> SavedRun {
        let run = &found.violation.run;
        let pairs = run.steps.iter().zip(&found.states);
        let shown = pairs.filter_map(|(step, before)| saved_step(program, step, before));
        SavedRun {
            format: FORMAT,
            model: name.to_string(),
            defines: defines.to_vec(),
            fingerprint: fingerprint(program),
            error: found.violation.error.clone(),
            initial: run.initial,
            steps: shown.collect(),
            cycle: None,
        }
    }

    /// # Errors
    /// What is wrong with the text.
    pub fn read(text: &str) -> Result<SavedRun, String> {
        let saved: SavedRun =
            serde_json::from_str(text).map_err(|error| format!("not a saved counterexample: {error}"))?;
        if saved.format != FORMAT {
            return Err(format!("its format is {}, this version reads {FORMAT}", saved.format));
        }
        Ok(saved)
    }

    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Follows the run in a program that may have changed since.
    ///
    /// # Errors
    /// The program has no initial state.
    pub fn follow(&self, program: &Program) -> Result<Followed, RuntimeError> {
        let interpreter = Interpreter::new(program);
        let initial = interpreter.initial_states()?;
        let Some(start) = initial.get(self.initial).or(initial.first()).cloned() else {
            let result = Replayed::Diverges { step: 0 };
            return Ok(Followed { result, steps: Vec::new(), states: Vec::new(), instead: Vec::new() });
        };
        let mut following = Following {
            program,
            interpreter,
            saved: self,
            way: (Vec::new(), vec![start]),
            furthest: None,
            met: Vec::new(),
            work: WORK.max(16 * self.steps.len()),
        };
        if let Some(result) = following.search() {
            let (steps, states) = following.way;
            return Ok(Followed { result, steps, states, instead: Vec::new() });
        }
        let (step, steps, states) = following.furthest.unwrap_or((0, Vec::new(), following.way.1));
        let mut successors = Vec::new();
        if let Some(state) = states.last() {
            interpreter.successors(state, &mut successors);
        }
        let instead = states.last().map_or_else(Vec::new, |state| {
            successors.iter().filter_map(|found| saved_step(program, &found.step, state)).collect()
        });
        Ok(Followed { result: Replayed::Diverges { step }, steps, states, instead })
    }
}

fn saved_step(program: &Program, step: &Step, before: &State) -> Option<SavedStep> {
    let shown = show_step(program, step, before, None)?;
    Some(SavedStep {
        moves: [Some(&shown.mover), shown.receiver.as_ref()]
            .into_iter()
            .flatten()
            .map(SavedMove::from)
            .collect(),
    })
}

/// States expanded before a run with ambiguous steps is given up.
const WORK: usize = 20_000;

struct Following<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
    saved: &'p SavedRun,
    way: (Vec<Step>, Vec<State>),
    /// The step that could not be taken, and the way to it.
    furthest: Option<(usize, Vec<Step>, Vec<State>)>,
    /// Other errors on the way: how long it was then, at which saved step, which.
    met: Vec<(usize, usize, RuntimeError)>,
    work: usize,
}

/// Where to go on from: how long the way is there, which step is next, and what else fits.
struct Branch {
    length: usize,
    next: usize,
    options: Vec<Successor>,
}

impl Following<'_> {
    /// Depth-first over all ways that fit; in nearly every run there is one.
    fn search(&mut self) -> Option<Replayed> {
        let mut branches: Vec<Branch> = Vec::new();
        let mut next = 0;
        loop {
            match self.options(next) {
                Ok(options) => branches.push(Branch { length: self.way.0.len(), next, options }),
                Err(end) => return Some(end),
            }
            loop {
                let branch = branches.last_mut()?;
                let Some(taken) = branch.options.pop() else {
                    branches.pop();
                    continue;
                };
                self.way.0.truncate(branch.length);
                self.way.1.truncate(branch.length + 1);
                let number = branch.next;
                self.way.0.push(taken.step);
                self.met.retain(|(length, ..)| *length <= branch.length);
                if taken.errors.contains(&self.saved.error) {
                    self.way.1.extend(taken.state);
                    return Some(Replayed::StillFails);
                }
                // Another error on the way, which may have been there before, does not end the run unless it must.
                self.met.extend(taken.errors.first().map(|error| (self.way.0.len(), number, error.clone())));
                let Some(state) = taken.state else {
                    let Some((_, step, error)) = self.met.first().cloned() else { continue };
                    return Some(Replayed::FailsOtherwise { step, error });
                };
                self.way.1.push(state);
                next = number + 1;
                break;
            }
        }
    }

    /// The steps that fit next, the best last; or how the run ends if it was followed to its end.
    fn options(&mut self, number: usize) -> Result<Vec<Successor>, Replayed> {
        let mut successors = Vec::new();
        loop {
            let Some(state) = self.way.1.last() else { return Ok(Vec::new()) };
            successors.clear();
            self.interpreter.successors(state, &mut successors);
            match successors.as_slice() {
                [Successor { step: step @ Step::Release(_), state: Some(released), .. }] => {
                    self.way.0.push(*step);
                    let released = released.clone();
                    self.way.1.push(released);
                }
                _ => break,
            }
        }
        let Some(state) = self.way.1.last() else { return Ok(Vec::new()) };
        let Some(wanted) = self.saved.steps.get(number) else {
            return Err(self.end(state, &successors));
        };
        if self.work == 0 {
            return Ok(Vec::new());
        }
        self.work -= 1;
        let mut fitting: Vec<(bool, Successor)> = Vec::new();
        for successor in successors {
            let Some(step) = saved_step(self.program, &successor.step, state) else { continue };
            let same = |a: &SavedMove, b: &SavedMove| a.process == b.process && a.statement == b.statement;
            if step.moves.len() == wanted.moves.len()
                && step.moves.iter().zip(&wanted.moves).all(|(a, b)| same(a, b))
            {
                fitting.push((step == *wanted, successor));
            }
        }
        fitting.sort_by_key(|(exact, _)| *exact);
        if fitting.is_empty() && self.furthest.as_ref().is_none_or(|(step, ..)| *step < number) {
            self.furthest = Some((number, self.way.0.clone(), self.way.1.clone()));
        }
        Ok(fitting.into_iter().map(|(_, successor)| successor).collect())
    }

    /// All steps were taken; is the state they lead to still wrong?
    fn end(&self, state: &State, successors: &[Successor]) -> Replayed {
        // Finding out that some step is not enabled can be an error too.
        let refused = successors.iter().filter(|successor| matches!(successor.step, Step::Refused(_)));
        let mut errors: Vec<RuntimeError> = refused.flat_map(|refused| refused.errors.clone()).collect();
        if !self.interpreter.is_transient(state) {
            self.interpreter.violated_invariants(state, &mut errors);
        }
        if model::system::nothing_moves(successors) && !self.interpreter.is_valid_end(state) {
            errors.push(RuntimeError::InvalidEndState);
        }
        if errors.contains(&self.saved.error) {
            return Replayed::StillFails;
        }
        let at_the_end = errors.into_iter().next().map(|error| (self.saved.steps.len(), error));
        let on_the_way = self.met.first().map(|(_, step, error)| (*step, error.clone()));
        match on_the_way.or(at_the_end) {
            Some((step, error)) => Replayed::FailsOtherwise { step, error },
            None => Replayed::Fixed,
        }
    }
}

#[cfg(test)]
mod tests;
