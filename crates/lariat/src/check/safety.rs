//! The search for errors: assertions, deadlocks and run-time errors. Every run that is shown is
//! replayed first.

use super::reduction::{Reduction, Version};
use super::unreached::{Unreached, unreached};
use super::{COMPILING, Engine, Programs, REDUCING, Settings, Systems};
use crate::run::finite::can_be_shown;
use crate::run::shorten::simplified;
use crate::run::{Counterexample, Evidence};
use lariat_ir::{Program, RuntimeError};
use lariat_search::replay::ReplayError;
use lariat_search::{Limits, Options, Outcome, reachability};
use std::sync::Arc;

/// The result of a search for errors.
#[derive(Debug, Default)]
pub struct SafetyResult {
    /// What the search reported. Its list of violations is empty: `counterexamples` replaces it.
    pub outcome: Outcome,
    /// One run for each different error.
    pub counterexamples: Vec<Counterexample>,
    /// Errors whose runs are too long to be shown within the memory limit.
    pub too_long: Vec<TooLong>,
    /// Statements that are never executed; empty if the search was not exhaustive.
    pub unreached: Vec<Unreached>,
    /// The states were counted in a reduced program.
    pub reduced: bool,
}

/// An error with a confirmed run that does not fit into memory.
#[derive(Debug)]
pub struct TooLong {
    /// The error at the end of the run.
    pub error: RuntimeError,
    /// The length of the run.
    pub steps: usize,
}

/// Searches the program for errors.
///
/// # Errors
/// A run that was found cannot be replayed: a bug in Lariat.
pub fn check_safety(
    program: &Arc<Program>,
    settings: &Settings,
    options: &Options<'_>,
) -> Result<SafetyResult, ReplayError> {
    check_safety_in(&Systems::new(&Programs::default()), program, settings, options)
}

/// [`check_safety`], with systems that other checks share.
pub(crate) fn check_safety_in(
    systems: &Systems<'_>,
    program: &Arc<Program>,
    settings: &Settings,
    options: &Options<'_>,
) -> Result<SafetyResult, ReplayError> {
    let budget = options.limits.budget;
    let reduction = Reduction::new(program, Version::usual(settings.raw), budget);
    let outcome = match budget.check() {
        Ok(()) => search(systems, reduction.program(), settings.engine, options),
        Err(exhausted) => Outcome::not_begun(exhausted.into(), REDUCING),
    };
    let mut result = replay_all(program, &reduction, outcome, &options.limits)?;
    if settings.simplify {
        for found in &mut result.counterexamples {
            *found = simplified(found, budget);
        }
    }
    Ok(result)
}

/// Runs the reachability search.
fn search(
    systems: &Systems<'_>,
    program: &Program,
    engine: Engine,
    options: &Options<'_>,
) -> Outcome {
    let budget = options.limits.budget;
    match systems.of(program, engine, budget) {
        Ok(system) => match budget.check() {
            Ok(()) => reachability(&system.with_patience(options.limits.patience()), options),
            Err(exhausted) => Outcome::not_begun(exhausted.into(), COMPILING),
        },
        Err(error) => Outcome::without_start(error),
    }
}

/// Replays every run that a search of the reduced program found.
///
/// # Errors
/// A run cannot be replayed: a bug in Lariat.
pub fn replay_all(
    program: &Arc<Program>,
    reduction: &Reduction<'_>,
    mut outcome: Outcome,
    limits: &Limits<'_>,
) -> Result<SafetyResult, ReplayError> {
    let patience = limits.patience();
    let (mut counterexamples, mut too_long) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    for found in std::mem::take(&mut outcome.violations) {
        let steps = found.run.steps.len();
        if !can_be_shown(program, steps, limits) {
            reduction.confirm(&found)?;
            too_long.push(TooLong { error: found.error, steps });
            continue;
        }
        match reduction.replayed(&found, patience) {
            Ok((run, states)) => {
                let shows = Evidence::Error(found.error);
                counterexamples.push(Counterexample::finite(program, shows, run, states));
            }
            Err(ReplayError::Unfinished(limit)) => open.push((found.error, limit)),
            Err(error) => return Err(error),
        }
    }
    let errors = outcome.errors.saturating_sub(open.len() as u64);
    open.iter().for_each(|(error, limit)| outcome.leave_open(error, *limit));
    if !(open.is_empty() || counterexamples.is_empty() && too_long.is_empty()) {
        outcome.errors = errors;
    }
    let runs = counterexamples.iter().map(|found| &found.prefix[..]);
    outcome.coverage = reduction.coverage(outcome.coverage, runs);
    let unreached =
        if outcome.exhaustive { unreached(program, &outcome.coverage) } else { Vec::new() };
    let reduced = reduction.changes_states();
    Ok(SafetyResult { outcome, counterexamples, too_long, unreached, reduced })
}
