//! Where a saved run cannot be followed any more it says nothing about the model as it is now: so what it was saved for is checked again, on all runs.

use super::{SavedRun, Shows};
use crate::answer::{Asked, Fault, answer};
use crate::load::Model;
use crate::property::Choice;
use model::RuntimeError;
use search::{Options, Verdict};

/// What is true of all runs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Again {
    Holds,
    /// Another run fails; with its error, if it is one.
    Violated(Option<RuntimeError>),
    /// A limit was reached before that was known, or the model does not have the property any more.
    Undecided,
}

impl SavedRun {
    /// Looks at all runs of a model that was loaded with this run's [texts](SavedRun::texts).
    ///
    /// # Errors
    /// A fault of ours.
    pub fn check_again(&self, model: &Model, options: &Options<'_>) -> Result<Again, Fault> {
        let mut asked = Asked { safety: matches!(self.shows, Shows::Error(_)), ..Asked::default() };
        let mut choice = Choice::default();
        match self.property(model) {
            Ok(None) => {}
            Ok(Some((property, of_runs))) => {
                asked.properties.push(property);
                choice = of_runs;
            }
            Err(_) => return Ok(Again::Undecided),
        }
        let found = answer(&model.program, &asked, &choice, options)?;
        Ok(match found.report(model).verdict() {
            Verdict::Holds => Again::Holds,
            Verdict::Inconclusive => Again::Undecided,
            Verdict::Violated => {
                let first = found.checked.counterexamples.into_iter().next();
                Again::Violated(first.map(|found| found.violation.error))
            }
        })
    }
}
