//! Follows a saved run in a program that may have changed. If several steps fit, the one at the
//! recorded position is tried first, and the others if it does not lead to the failure.

use super::saved::{SavedEvidence, SavedMove, SavedRun, SavedStep, fingerprint, saved_step};
use super::{Counterexample, LassoError, Path};
use crate::check::Judges;
use lariat_ir::trace::{Change, changes};
use lariat_ir::{Interpreter, Program, RuntimeError, State, Step, Successor};
use lariat_search::product::LassoRun;

/// The result of following a saved run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The run still shows the failure.
    StillFails,
    /// The run shows another error.
    FailsOtherwise {
        /// The index of the step with the error.
        step: usize,
        /// The error.
        error: RuntimeError,
    },
    /// All steps can be taken, and nothing fails.
    Fixed,
    /// All steps can be taken forever, but the run is no longer fair.
    Unfair,
    /// A step can no longer be taken.
    Diverges {
        /// The index of the step; the number of steps if the run can no longer stay in its last
        /// state forever.
        step: usize,
    },
    /// All steps can be taken, but the cycle does not return to its first state.
    DoesNotClose {
        /// The differences after one round.
        differs: Vec<Change>,
    },
}

/// A saved run in the current model.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The verdict on the run.
    pub result: Replayed,
    /// The run as far as it could be followed.
    pub path: Path,
    /// If a property is still violated: the run with the values of its conditions.
    pub counterexample: Option<Counterexample>,
    /// If the run diverges: the steps that are possible instead.
    pub instead: Vec<SavedStep>,
}

impl SavedRun {
    /// Follows the run; `judge` comes from [`SavedRun::judge`].
    ///
    /// # Errors
    /// The program has no initial state.
    pub fn follow(
        &self,
        program: &Program,
        judge: Option<&dyn Judges>,
    ) -> Result<Followed, RuntimeError> {
        let same = fingerprint(program) == self.fingerprint;
        let program = judge.map_or(program, |judge| judge.program());
        let interpreter = Interpreter::new(program);
        let initial = interpreter.initial_states()?;
        let chosen = if initial.get(self.initial).is_some() { self.initial } else { 0 };
        let Some(start) = initial.get(chosen).cloned() else {
            return Ok(Followed {
                result: Replayed::Diverges { step: 0 },
                path: Path { steps: Vec::new(), states: Vec::new() },
                counterexample: None,
                instead: Vec::new(),
            });
        };
        let mut following = Following {
            program,
            interpreter,
            saved: self,
            judge: judge.map(|judge| Judging { judge, initial: chosen, same }),
            path: Path { steps: Vec::new(), states: vec![start] },
            cycle: None,
            counterexample: None,
            otherwise: None,
            furthest: None,
            other_errors: Vec::new(),
            work: MAX_EXPANSIONS.max(16 * self.steps.len()),
        };
        let still = following.search();
        let Following { path, counterexample, otherwise, furthest, .. } = following;
        let (result, path) = match (still, otherwise, furthest) {
            (true, ..) => (Replayed::StillFails, path),
            (_, Some(end), _) => end,
            (.., Some((step, path))) => (Replayed::Diverges { step }, path),
            _ => (Replayed::Diverges { step: 0 }, path),
        };
        let mut followed = Followed { result, path, counterexample, instead: Vec::new() };
        if let (Replayed::Diverges { .. }, Some(state)) =
            (&followed.result, followed.path.states.last())
        {
            let mut successors = Vec::new();
            interpreter.successors(state, &mut successors);
            let other = |found: &Successor| saved_step(program, &found.step, state);
            followed.instead = successors.iter().filter_map(other).collect();
        }
        Ok(followed)
    }
}

/// States expanded before a run with ambiguous steps is abandoned.
const MAX_EXPANSIONS: usize = 20_000;

struct Following<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
    saved: &'p SavedRun,
    judge: Option<Judging<'p>>,
    path: Path,
    /// The length of the path where the cycle begins.
    cycle: Option<usize>,
    counterexample: Option<Counterexample>,
    /// The first path that was followed to its end without showing the failure, and its result.
    otherwise: Option<(Replayed, Path)>,
    /// The step that could not be taken, and the path to it.
    furthest: Option<(usize, Path)>,
    /// Other errors on the path: its length there, the saved step, the error.
    other_errors: Vec<(usize, usize, RuntimeError)>,
    work: usize,
}

/// The judge of a property, for runs that violate one.
#[derive(Clone, Copy)]
struct Judging<'p> {
    judge: &'p dyn Judges,
    initial: usize,
    /// The model is unchanged.
    same: bool,
}

/// A position on the path with untried alternatives.
struct Branch {
    /// The length of the path.
    length: usize,
    /// The index of the saved step that is taken next.
    next: usize,
    /// The successors that fit and were not tried yet.
    options: Vec<Successor>,
}

impl Following<'_> {
    /// Searches all paths that fit, depth-first (nearly always there is just one), for one that
    /// still shows the failure.
    fn search(&mut self) -> bool {
        let mut branches: Vec<Branch> = Vec::new();
        let mut next = 0;
        loop {
            match self.options(next) {
                Ok(options) => {
                    branches.push(Branch { length: self.path.steps.len(), next, options })
                }
                Err(Replayed::StillFails) => return true,
                Err(end) => self.end_otherwise(end),
            }
            loop {
                let Some(branch) = branches.last_mut() else { return false };
                let Some(taken) = branch.options.pop() else {
                    branches.pop();
                    continue;
                };
                self.path.steps.truncate(branch.length);
                self.path.states.truncate(branch.length + 1);
                let number = branch.next;
                self.path.steps.push(taken.step);
                self.other_errors.retain(|(length, ..)| *length <= branch.length);
                if let SavedEvidence::Error(error) = &self.saved.shows
                    && taken.errors.contains(error)
                {
                    self.path.states.extend(taken.state);
                    return true;
                }
                // Another error, which may have been there when the run was saved, ends the run
                // only if it leaves no state.
                self.other_errors.extend(
                    taken
                        .errors
                        .first()
                        .map(|error| (self.path.steps.len(), number, error.clone())),
                );
                let Some(state) = taken.state else {
                    if let Some((_, step, error)) = self.other_errors.first().cloned() {
                        self.end_otherwise(Replayed::FailsOtherwise { step, error });
                    }
                    continue;
                };
                self.path.states.push(state);
                next = number + 1;
                break;
            }
        }
    }

    /// Records the result of the first complete path: the best match is tried first.
    fn end_otherwise(&mut self, end: Replayed) {
        let path = &self.path;
        self.otherwise.get_or_insert_with(|| (end, path.clone()));
    }

    /// The successors that fit the next saved step, the best last; the result if the run was
    /// followed to its end.
    fn options(&mut self, number: usize) -> Result<Vec<Successor>, Replayed> {
        let mut successors = Vec::new();
        loop {
            let Some(state) = self.path.states.last() else { return Ok(Vec::new()) };
            successors.clear();
            self.interpreter.successors(state, &mut successors);
            match successors.as_slice() {
                [Successor { step: step @ Step::Release(_), state: Some(released), .. }] => {
                    self.path.steps.push(*step);
                    let released = released.clone();
                    self.path.states.push(released);
                }
                _ => break,
            }
        }
        if self.saved.cycle == Some(number) {
            self.cycle = Some(self.path.steps.len());
        }
        let Some(state) = self.path.states.last() else { return Ok(Vec::new()) };
        let Some(wanted) = self.saved.steps.get(number) else {
            return Err(match &self.saved.shows {
                SavedEvidence::Error(error) => self.end(error, state, &successors),
                SavedEvidence::Property { no_value, .. } => self.verdict(no_value.as_ref()),
            });
        };
        if self.work == 0 {
            return Ok(Vec::new());
        }
        self.work -= 1;
        let mut fitting: Vec<(bool, Successor)> = Vec::new();
        for successor in successors {
            let Some(step) = saved_step(self.program, &successor.step, state) else { continue };
            let same =
                |a: &SavedMove, b: &SavedMove| a.process == b.process && a.statement == b.statement;
            if step.moves.len() == wanted.moves.len()
                && step.moves.iter().zip(&wanted.moves).all(|(a, b)| same(a, b))
            {
                fitting.push((step == *wanted, successor));
            }
        }
        fitting.sort_by_key(|(exact, _)| *exact);
        if fitting.is_empty() && self.furthest.as_ref().is_none_or(|(step, ..)| *step < number) {
            self.furthest = Some((number, self.path.clone()));
        }
        Ok(fitting.into_iter().map(|(_, successor)| successor).collect())
    }

    /// All steps were taken: does the last state still have the error?
    fn end(&self, wanted: &RuntimeError, state: &State, successors: &[Successor]) -> Replayed {
        // Evaluating a guard can be an error too.
        let refused =
            successors.iter().filter(|successor| matches!(successor.step, Step::Refused(_)));
        let mut errors: Vec<RuntimeError> =
            refused.flat_map(|refused| refused.errors.clone()).collect();
        if !self.interpreter.is_transient(state) {
            self.interpreter.violated_invariants(state, &mut errors);
        }
        if lariat_ir::system::nothing_moves(successors) && !self.interpreter.is_valid_end(state) {
            errors.push(RuntimeError::InvalidEndState);
        }
        if errors.contains(wanted) {
            return Replayed::StillFails;
        }
        let at_the_end = errors.into_iter().next().map(|error| (self.saved.steps.len(), error));
        let on_the_way = self.other_errors.first().map(|(_, step, error)| (*step, error.clone()));
        match on_the_way.or(at_the_end) {
            Some((step, error)) => Replayed::FailsOtherwise { step, error },
            None => Replayed::Fixed,
        }
    }

    /// All steps were taken: does the run still violate the property?
    fn verdict(&mut self, no_value: Option<&RuntimeError>) -> Replayed {
        let Some(Judging { judge, initial, same }) = self.judge else { return Replayed::Fixed };
        let mut run = LassoRun { initial, prefix: self.path.steps.clone(), cycle: Vec::new() };
        if let Some(start) = self.cycle {
            run.cycle = run.prefix.split_off(start);
            if run.cycle.is_empty() {
                run.cycle.push(Step::STUTTER);
            }
        }
        let mut judged = judge.judge(&run);
        if run.cycle.is_empty() && judged.as_ref().is_err_and(|error| *error == LassoError::Allowed)
        {
            // If nothing can move, the run continues by repeating its last state.
            let resting = LassoRun { cycle: vec![Step::STUTTER], ..run.clone() };
            judged = judge.judge(&resting).map_err(|_| LassoError::Allowed);
        }
        match judged {
            // That the differing variables are never read is known for the unchanged model only.
            Ok(found) if !found.differs || same => {
                self.counterexample = Some(found);
                Replayed::StillFails
            }
            Err(LassoError::NoValue(_, error)) if no_value == Some(&error) => Replayed::StillFails,
            Err(LassoError::NoValue(steps, error)) => {
                Replayed::FailsOtherwise { step: steps, error }
            }
            Err(LassoError::Allowed) => Replayed::Fixed,
            Err(LassoError::Unfair) => Replayed::Unfair,
            Err(_) if run.cycle == [Step::STUTTER] => {
                Replayed::Diverges { step: self.saved.steps.len() }
            }
            Ok(_) | Err(_) => {
                let ends = self
                    .cycle
                    .and_then(|start| self.path.states.get(start))
                    .zip(self.path.states.last());
                let differs =
                    ends.map_or_else(Vec::new, |(start, end)| changes(self.program, start, end));
                Replayed::DoesNotClose { differs }
            }
        }
    }
}
