//! Following a saved run in a program that may have changed since. Where several steps fit, the one at the recorded place is tried
//! first, and the others if that does not lead to what the run is to show.

use super::{SavedMove, SavedRun, SavedStep, Shows, fingerprint, saved_step};
use crate::property::{Judges, Lasso, LassoError};
use model::trace::{Change, changes};
use model::{Interpreter, Program, RuntimeError, State, Step, Successor};
use search::product::LassoRun;

/// What became of a saved run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It still shows what it was saved for.
    StillFails,
    /// It now shows another error.
    FailsOtherwise { step: usize, error: RuntimeError },
    /// All its steps can be taken, and nothing is wrong any more.
    Fixed,
    /// All its steps can be taken forever, but only unfairly.
    Unfair,
    /// A step, counted from 0, that cannot be taken any more; behind the last one, staying there forever.
    Diverges { step: usize },
    /// All its steps can be taken, but the cycle does not come back to where it starts: what differs after a round.
    DoesNotClose { differs: Vec<Change> },
}

/// A saved run as the model takes it now.
#[derive(Clone, Debug)]
pub struct Followed {
    pub result: Replayed,
    pub steps: Vec<Step>,
    pub states: Vec<State>,
    /// If a property is still violated: the run with the values of its conditions.
    pub lasso: Option<Lasso>,
    /// Where it diverges: what can be done instead.
    pub instead: Vec<SavedStep>,
}

impl SavedRun {
    /// Follows the run; `judge` is what [`SavedRun::judge`] says for the program.
    ///
    /// # Errors
    /// The program has no initial state.
    pub fn follow(&self, program: &Program, judge: Option<&dyn Judges>) -> Result<Followed, RuntimeError> {
        let same = fingerprint(program) == self.fingerprint;
        let program = judge.map_or(program, |judge| judge.program());
        let interpreter = Interpreter::new(program);
        let initial = interpreter.initial_states()?;
        let chosen = if initial.get(self.initial).is_some() { self.initial } else { 0 };
        let nothing =
            |result, states| Followed { result, steps: Vec::new(), states, lasso: None, instead: Vec::new() };
        let Some(start) = initial.get(chosen).cloned() else {
            return Ok(nothing(Replayed::Diverges { step: 0 }, Vec::new()));
        };
        let mut following = Following {
            program,
            interpreter,
            saved: self,
            judge: judge.map(|judge| Judging { judge, initial: chosen, same }),
            way: (Vec::new(), vec![start]),
            cycle: None,
            lasso: None,
            otherwise: None,
            furthest: None,
            met: Vec::new(),
            work: WORK.max(16 * self.steps.len()),
        };
        let still = following.search();
        let Following { way, lasso, otherwise, furthest, .. } = following;
        let (result, (steps, states)) = match (still, otherwise, furthest) {
            (true, ..) => (Replayed::StillFails, way),
            (_, Some(end), _) => end,
            (.., Some((step, way))) => (Replayed::Diverges { step }, way),
            _ => (Replayed::Diverges { step: 0 }, way),
        };
        let mut followed = Followed { steps, lasso, ..nothing(result, states) };
        if let (Replayed::Diverges { .. }, Some(state)) = (&followed.result, followed.states.last()) {
            let mut successors = Vec::new();
            interpreter.successors(state, &mut successors);
            let other = |found: &Successor| saved_step(program, &found.step, state);
            followed.instead = successors.iter().filter_map(other).collect();
        }
        Ok(followed)
    }
}

/// States expanded before a run with ambiguous steps is given up.
const WORK: usize = 20_000;

/// Steps and the states before, between and behind them.
type Way = (Vec<Step>, Vec<State>);

struct Following<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
    saved: &'p SavedRun,
    judge: Option<Judging<'p>>,
    way: Way,
    /// How long the way is where the cycle begins.
    cycle: Option<usize>,
    lasso: Option<Lasso>,
    /// The first way that was followed to its end but does not show what it should, and what became of it.
    otherwise: Option<(Replayed, Way)>,
    /// The step that could not be taken, and the way to it.
    furthest: Option<(usize, Way)>,
    /// Other errors on the way: how long it was then, at which saved step, which.
    met: Vec<(usize, usize, RuntimeError)>,
    work: usize,
}

/// For runs that show that a property is violated.
#[derive(Clone, Copy)]
struct Judging<'p> {
    judge: &'p dyn Judges,
    initial: usize,
    /// The model has not changed.
    same: bool,
}

/// Where to go on from: how long the way is there, which step is next, and what else fits.
struct Branch {
    length: usize,
    next: usize,
    options: Vec<Successor>,
}

impl Following<'_> {
    /// Depth-first over all ways that fit, in nearly every run one: does any still show what the run was saved for?
    fn search(&mut self) -> bool {
        let mut branches: Vec<Branch> = Vec::new();
        let mut next = 0;
        loop {
            match self.options(next) {
                Ok(options) => branches.push(Branch { length: self.way.0.len(), next, options }),
                Err(Replayed::StillFails) => return true,
                Err(end) => self.end_otherwise(end),
            }
            loop {
                let Some(branch) = branches.last_mut() else { return false };
                let Some(taken) = branch.options.pop() else {
                    branches.pop();
                    continue;
                };
                self.way.0.truncate(branch.length);
                self.way.1.truncate(branch.length + 1);
                let number = branch.next;
                self.way.0.push(taken.step);
                self.met.retain(|(length, ..)| *length <= branch.length);
                if let Shows::Error(error) = &self.saved.shows
                    && taken.errors.contains(error)
                {
                    self.way.1.extend(taken.state);
                    return true;
                }
                // Another error on the way, which may have been there before, does not end the run unless it must.
                self.met.extend(taken.errors.first().map(|error| (self.way.0.len(), number, error.clone())));
                let Some(state) = taken.state else {
                    if let Some((_, step, error)) = self.met.first().cloned() {
                        self.end_otherwise(Replayed::FailsOtherwise { step, error });
                    }
                    continue;
                };
                self.way.1.push(state);
                next = number + 1;
                break;
            }
        }
    }

    /// The best way that fits is tried first, so what it comes to is remembered.
    fn end_otherwise(&mut self, end: Replayed) {
        let way = &self.way;
        self.otherwise.get_or_insert_with(|| (end, way.clone()));
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
        if self.saved.cycle == Some(number) {
            self.cycle = Some(self.way.0.len());
        }
        let Some(state) = self.way.1.last() else { return Ok(Vec::new()) };
        let Some(wanted) = self.saved.steps.get(number) else {
            return Err(match &self.saved.shows {
                Shows::Error(error) => self.end(error, state, &successors),
                Shows::Property { no_value, .. } => self.verdict(no_value.as_ref()),
            });
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
            self.furthest = Some((number, self.way.clone()));
        }
        Ok(fitting.into_iter().map(|(_, successor)| successor).collect())
    }

    /// All steps were taken; is the state they lead to still wrong?
    fn end(&self, wanted: &RuntimeError, state: &State, successors: &[Successor]) -> Replayed {
        // Finding out that some step is not enabled can be an error too.
        let refused = successors.iter().filter(|successor| matches!(successor.step, Step::Refused(_)));
        let mut errors: Vec<RuntimeError> = refused.flat_map(|refused| refused.errors.clone()).collect();
        if !self.interpreter.is_transient(state) {
            self.interpreter.violated_invariants(state, &mut errors);
        }
        if model::system::nothing_moves(successors) && !self.interpreter.is_valid_end(state) {
            errors.push(RuntimeError::InvalidEndState);
        }
        if errors.contains(wanted) {
            return Replayed::StillFails;
        }
        let at_the_end = errors.into_iter().next().map(|error| (self.saved.steps.len(), error));
        let on_the_way = self.met.first().map(|(_, step, error)| (*step, error.clone()));
        match on_the_way.or(at_the_end) {
            Some((step, error)) => Replayed::FailsOtherwise { step, error },
            None => Replayed::Fixed,
        }
    }

    /// All steps were taken; is the property still violated on them?
    fn verdict(&mut self, no_value: Option<&RuntimeError>) -> Replayed {
        let Some(Judging { judge, initial, same }) = self.judge else { return Replayed::Fixed };
        let mut run = LassoRun { initial, prefix: self.way.0.clone(), cycle: Vec::new() };
        if let Some(start) = self.cycle {
            run.cycle = run.prefix.split_off(start);
            if run.cycle.is_empty() {
                run.cycle.push(Step::STUTTER);
            }
        }
        let mut judged = judge.judge(&run);
        if run.cycle.is_empty() && judged.as_ref().is_err_and(|error| *error == LassoError::Allowed) {
            // Where nothing moves, what follows is known: the last state, forever.
            let resting = LassoRun { cycle: vec![Step::STUTTER], ..run.clone() };
            judged = judge.judge(&resting).map_err(|_| LassoError::Allowed);
        }
        match judged {
            // That values which differ do not matter was only found out for the model as it was.
            Ok(lasso) if !lasso.differs || same => {
                self.lasso = Some(lasso);
                Replayed::StillFails
            }
            Err(LassoError::NoValue(_, error)) if no_value == Some(&error) => Replayed::StillFails,
            Err(LassoError::NoValue(steps, error)) => Replayed::FailsOtherwise { step: steps, error },
            Err(LassoError::Allowed) => Replayed::Fixed,
            Err(LassoError::Unfair) => Replayed::Unfair,
            Err(_) if run.cycle == [Step::STUTTER] => Replayed::Diverges { step: self.saved.steps.len() },
            Ok(_) | Err(_) => {
                let ends = self.cycle.and_then(|start| self.way.1.get(start)).zip(self.way.1.last());
                let differs = ends.map_or_else(Vec::new, |(start, end)| changes(self.program, start, end));
                Replayed::DoesNotClose { differs }
            }
        }
    }
}
