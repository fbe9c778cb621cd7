//! Checking a program for errors: search, then replay every run that is going to be shown.

use crate::reduction::{Reduction, Version};
use crate::shorten::simplified;
use crate::unreached::{Unreached, unreached};
use model::{Budget, Interpreter, Program, RuntimeError, State};
use native::{Native, Wanted};
use search::replay::ReplayError;
use search::{Limits, Options, Outcome, Violation, memory_left, reachability};

/// What computes successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Machine code, unless there are few states.
    #[default]
    Automatic,
    /// Machine code, made for the program.
    Native,
    /// The reference semantics, step by step.
    Interpreter,
}

impl Engine {
    /// The program as a system to search, made within a budget, or the error met in making an initial state.
    pub fn system<'p>(self, program: &'p Program, budget: &Budget) -> Result<Native<'p>, RuntimeError> {
        let wanted = match self {
            Engine::Automatic => Wanted::Automatic,
            Engine::Native => Wanted::Code,
            Engine::Interpreter => Wanted::Interpreter,
        };
        Native::within(program, wanted, budget)
    }
}

/// Phases before a search, for the message that a limit was reached in one.
pub(crate) const REDUCING: &str = "while the model was reduced";
pub(crate) const COMPILING: &str = "while the model was compiled";

/// What is known after a search.
#[derive(Debug, Default)]
pub struct Checked {
    pub outcome: Outcome,
    /// The errors found, each with the states of its run.
    pub counterexamples: Vec<Counterexample>,
    /// Errors found by runs that are too long to be shown within the limit of memory.
    pub too_long: Vec<TooLong>,
    /// Empty if the search was not exhaustive: then nothing can be said.
    pub unreached: Vec<Unreached>,
    /// States were counted in a program that reductions made.
    pub reduced: bool,
}

/// An error, and a run that was seen to end with it.
#[derive(Debug)]
pub struct Counterexample {
    pub violation: Violation,
    pub states: Vec<State>,
}

/// An error, and a run that was seen to end with it but cannot be shown.
#[derive(Debug)]
pub struct TooLong {
    pub error: RuntimeError,
    pub steps: usize,
}

/// What a step of a run takes beside its states when it is simplified and reported.
const REPORTED_STEP_BYTES: usize = 600;
/// Upper bound on the copies of a state that exist while a run is simplified and reported.
const STATE_COPIES: usize = 4;

/// Runs of at most this many steps are shown whatever the memory limit is.
pub(crate) const FEW_STEPS: usize = 1000;

/// Is there enough memory left to show a run of this length?
pub(crate) fn can_be_shown(program: &Program, steps: usize, limits: &Limits<'_>) -> bool {
    let Some(left) = memory_left(limits.memory_bytes) else { return true };
    let initial = Interpreter::new(program).initial_states().unwrap_or_default();
    let state = initial.first().map_or(0, State::memory_bytes);
    let needed = steps.saturating_mul(STATE_COPIES * state + REPORTED_STEP_BYTES);
    needed as u64 <= left
}

impl Checked {
    /// Makes the runs easier to read; the errors stay the same.
    pub fn simplify(&mut self, program: &Program, budget: &Budget) {
        for (found, violation) in self.counterexamples.iter_mut().zip(&mut self.outcome.violations) {
            *found = simplified(program, found, budget);
            *violation = found.violation.clone();
        }
    }
}

/// Searches the program. An error that does not replay is our own and no verdict.
///
/// Unless it is to be searched `raw`, the program is reduced to fewer states first; what is told is told of the program itself.
pub fn check(
    program: &Program,
    engine: Engine,
    raw: bool,
    options: &Options<'_>,
) -> Result<Checked, ReplayError> {
    let budget = options.limits.budget;
    let reduction = Reduction::new(program, Version::usual(raw), budget);
    let outcome = match budget.check() {
        Ok(()) => explore(reduction.program(), engine, options),
        Err(exhausted) => Outcome::not_begun(exhausted.into(), REDUCING),
    };
    checked(&reduction, outcome, &options.limits)
}

/// Replays what a search within these limits found.
pub fn checked(
    reduction: &Reduction<'_>,
    mut outcome: Outcome,
    limits: &Limits<'_>,
) -> Result<Checked, ReplayError> {
    let patience = limits.patience();
    let (mut counterexamples, mut too_long) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    for found in std::mem::take(&mut outcome.violations) {
        let steps = found.run.steps.len();
        if steps > FEW_STEPS && !can_be_shown(reduction.original(), steps, limits) {
            reduction.confirm(&found)?;
            too_long.push(TooLong { error: found.error, steps });
            continue;
        }
        match reduction.counterexample(&found, patience) {
            Ok((violation, states)) => {
                outcome.violations.push(violation.clone());
                counterexamples.push(Counterexample { violation, states });
            }
            Err(ReplayError::Unfinished(limit)) => open.push((found.error, limit)),
            Err(error) => return Err(error),
        }
    }
    open.iter().for_each(|(error, limit)| outcome.leave_open(error, *limit));
    outcome.coverage = reduction.coverage(outcome.coverage, &outcome.violations);
    let unreached =
        if outcome.exhaustive { unreached(reduction.original(), &outcome.coverage) } else { Vec::new() };
    let reduced = reduction.changes_states();
    Ok(Checked { outcome, counterexamples, too_long, unreached, reduced })
}

/// What tells a search of a program from those of others.
pub fn fingerprint(program: &Program, raw: bool) -> u64 {
    rapidhash::v3::rapidhash_v3(model::text::print(program).as_bytes()) ^ u64::from(raw)
}

/// Searches with the engine.
fn explore(program: &Program, engine: Engine, options: &Options<'_>) -> Outcome {
    let budget = options.limits.budget;
    match engine.system(program, budget) {
        Ok(system) => match budget.check() {
            Ok(()) => reachability(&system.with_patience(options.limits.patience()), options),
            Err(exhausted) => Outcome::not_begun(exhausted.into(), COMPILING),
        },
        Err(error) => Outcome::without_start(error),
    }
}
