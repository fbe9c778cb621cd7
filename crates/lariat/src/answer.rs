//! The whole answer about a model: what is asked, first errors, then properties of infinite runs; and what was found.

use crate::check::{self, Checked};
use crate::load::Model;
use crate::property::{self, Assumption, Property, Wanted, all_stated};
use crate::report::Report;
use model::{Budget, Program};
use search::{Limits, Options};
use std::fmt;
use std::time::{Duration, Instant};

/// How much longer than the check of a property it may take to find out what fairness would change: nobody feels this who waits for the
/// run that was found.
const PATIENCE: Duration = Duration::from_millis(100);

/// What is to be checked.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Look for errors.
    pub safety: bool,
    pub properties: Vec<Property>,
    /// The automata of the runs that count.
    pub assumptions: Vec<Assumption>,
}

impl Asked {
    /// What is wanted of a model that was loaded with the texts of all that and of the automata that are assumed, in order; everything it states if nothing is.
    /// `safety` is the search for errors, unless the model states something of that name.
    ///
    /// # Errors
    /// What the model does not have.
    pub fn new(model: &Model, wanted: &[Wanted], assumed: &[Wanted]) -> Result<Asked, String> {
        let mut given = model.given.iter();
        let mut asked = Asked { safety: false, properties: Vec::new(), assumptions: Vec::new() };
        for each in wanted {
            match each.find(model, &mut given) {
                Ok(property) => asked.properties.push(property),
                Err(_) if *each == Wanted::Stated("safety".into()) => asked.safety = true,
                Err(problem) => return Err(problem),
            }
        }
        if wanted.is_empty() {
            (asked.safety, asked.properties) = (true, all_stated(model));
        }
        for each in assumed {
            asked.assumptions.push(Assumption::find(each, model, &mut given)?);
        }
        Ok(asked)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Answer {
    pub checked: Checked,
    /// Were errors looked for at all? If not, nothing is said about `checked`.
    pub safety: bool,
    pub liveness: Vec<property::Checked>,
    /// The properties that were asked for.
    pub asked: Vec<Property>,
}

/// A run that was found is none: a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "internal error: {}", self.0)
    }
}

impl std::error::Error for Fault {}

/// Checks all that is asked.
///
/// # Errors
/// A fault of ours: a counterexample is none.
pub fn answer(
    program: &Program,
    asked: &Asked,
    choice: &property::Choice,
    options: &Options<'_>,
) -> Result<Answer, Fault> {
    let budget = options.limits.budget;
    let mut answer = Answer { safety: asked.safety, asked: asked.properties.clone(), ..Answer::default() };
    if asked.safety {
        let part = budget.part_of(choice.time_per_property);
        let options = &within(options, &part);
        let budget = &part;
        let checked = check::check(program, choice.engine, choice.raw, options);
        answer.checked =
            checked.map_err(|error| Fault(format!("a counterexample cannot be replayed: {error}")))?;
        if choice.simplify {
            answer.checked.simplify(program, budget);
        }
    }
    for property in &asked.properties {
        let fault = |fault| Fault(format!("{}: the run found is none: {fault}", property.name));
        let start = Instant::now();
        let part = budget.part_of(choice.time_per_property);
        let options = &within(options, &part);
        let mut checked = property::check(program, property, choice, options).map_err(fault)?;
        if choice.remedy {
            let patience = start.elapsed() + PATIENCE;
            let advice =
                property::remedy(program, property, &checked, choice, options, patience).map_err(fault)?;
            if let Some(property::Advice { remedy, fair_run }) = advice {
                checked.remedy = Some(remedy);
                checked.lasso = fair_run.or(checked.lasso);
            }
        }
        answer.liveness.push(checked);
    }
    Ok(answer)
}

/// The same with the budget for one property.
fn within<'b>(options: &Options<'b>, budget: &'b Budget) -> Options<'b> {
    Options { limits: Limits { budget, ..options.limits.clone() }, ..options.clone() }
}

impl Answer {
    /// All of it, to be reported.
    pub fn report<'a>(&'a self, model: &'a Model) -> Report<'a> {
        Report {
            model: &model.name,
            program: &model.program,
            properties: &model.properties,
            checked: &self.checked,
            safety: self.safety,
            liveness: &self.liveness,
            asked: &self.asked,
        }
    }
}
