//! Checks the property of a saved counterexample on all runs, for a model in which the saved run
//! can no longer be followed.

use crate::checker::Checker;
use crate::error::Error;
use crate::model::Model;
use crate::run::saved::SavedRun;
use lariat_ir::RuntimeError;
use lariat_search::{Options, Verdict};

/// The verdict over all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// No run fails.
    Holds,
    /// Another run fails; with its error, unless it violates a property.
    Violated(Option<RuntimeError>),
    /// A limit was reached, or the model no longer has the property.
    Undecided,
}

/// Checks the model for the failure that the run was saved for.
///
/// # Errors
/// A counterexample cannot be replayed: a bug in Lariat.
pub fn recheck(saved: &SavedRun, model: &Model, options: Options<'_>) -> Result<Recheck, Error> {
    let (request, assumed, settings) = match saved.request() {
        Ok(request) => request,
        Err(_) => return Ok(Recheck::Undecided),
    };
    let checker = Checker::new(model).settings(settings).options(options);
    let checker = match request {
        Some(property) => checker.property(property),
        None => checker.errors(),
    };
    let report = match assumed.into_iter().fold(checker, Checker::assume).run() {
        Ok(report) => report,
        Err(Error::Internal(message)) => return Err(Error::Internal(message)),
        Err(_) => return Ok(Recheck::Undecided),
    };
    Ok(match report.verdict() {
        Verdict::Holds => Recheck::Holds,
        Verdict::Inconclusive => Recheck::Undecided,
        Verdict::Violated => {
            let found = report.safety.and_then(|safety| safety.counterexamples.into_iter().next());
            Recheck::Violated(found.and_then(|found| found.error().cloned()))
        }
    })
}
