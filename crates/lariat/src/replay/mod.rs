//! Counterexamples that last: saved with what they were found in, and followed again after the model was edited.
//!
//! A saved step names its process and the text of its statement, so lines may move and other code may change. [`follow`](mod@follow) tries to
//! take the same steps, and says whether they still show what they did: an error, or that a property is violated. If they cannot be taken, [`again`] looks
//! at all other runs.

pub mod again;
pub mod follow;

pub use again::Again;
pub use follow::{Followed, Replayed};

use crate::check::Counterexample;
use crate::load::{Define, Model};
use crate::property::{self, Assumption, BranchingJudge, Choice, Judge, Judges, Meaning, Property, Wanted};
use crate::run::{Mover, show_step};
use model::{Program, RuntimeError, State, Step};
use search::liveness::fairness::Fairness;
use search::{Limits, Options};
use serde::{Deserialize, Serialize};

/// Counts up when the meaning of the file changes.
const FORMAT: u32 = 3;

/// Rounds of a cycle until its values must have come back: a byte that counts on comes back after 256.
const ROUNDS: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    pub format: u32,
    /// The model, as it was named.
    pub model: String,
    pub defines: Vec<Define>,
    /// Tells whether the model is still the same, in hexadecimal digits.
    pub fingerprint: String,
    pub shows: Shows,
    pub initial: usize,
    pub steps: Vec<SavedStep>,
    /// If the run is infinite: the step with which its cycle begins; the number of steps if nothing moves behind them.
    pub cycle: Option<usize>,
}

/// What the run is saved for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    Error(RuntimeError),
    /// A property is violated.
    Property {
        wanted: Wanted,
        /// The notion of fairness that was assumed.
        fairness: Option<String>,
        /// The automata of fair runs that were assumed.
        assumed: Vec<Wanted>,
        /// A condition of the property has no value at the end of the run.
        no_value: Option<RuntimeError>,
    },
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
    pub column: Option<u32>,
    pub statement: String,
}

impl From<&Mover> for SavedMove {
    fn from(mover: &Mover) -> SavedMove {
        SavedMove {
            process: mover.process.clone(),
            file: mover.file.clone(),
            line: mover.line,
            column: mover.column,
            statement: mover.statement.clone(),
        }
    }
}

/// The fingerprint of a program, as it is saved.
pub fn fingerprint(program: &Program) -> String {
    format!("{:016x}", crate::check::fingerprint(program, false))
}

/// Where a run was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundIn<'a> {
    /// The model, as it was named.
    pub model: &'a str,
    pub defines: &'a [Define],
    pub program: &'a Program,
}

impl SavedRun {
    /// A run to an error.
    pub fn of_error(origin: &FoundIn<'_>, found: &Counterexample) -> SavedRun {
        let run = &found.violation.run;
        let shows = Shows::Error(found.violation.error.clone());
        SavedRun::new(origin, shows, run.initial, &run.steps, &found.states, None)
    }

    /// The run that shows that a property is violated, if one does.
    pub fn of_property(origin: &FoundIn<'_>, checked: &property::Checked) -> Option<SavedRun> {
        let no_value = checked.failure.as_ref().map(|found| found.violation.error.clone());
        let fairness = checked.fairness.map(|fairness| fairness.name().to_string());
        let (wanted, assumed) = (checked.wanted.clone(), checked.assumed.clone());
        let shows = Shows::Property { wanted, fairness, assumed, no_value };
        if let Some(found) = &checked.failure {
            let run = &found.violation.run;
            return Some(SavedRun::new(origin, shows, run.initial, &run.steps, &found.states, None));
        }
        let lasso = checked.lasso.as_ref()?;
        let cycle = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
        Some(SavedRun::new(origin, shows, lasso.initial, &lasso.steps(), &lasso.states, cycle))
    }

    fn new(
        origin: &FoundIn<'_>,
        shows: Shows,
        initial: usize,
        steps: &[Step],
        states: &[State],
        cycle: Option<usize>,
    ) -> SavedRun {
        let saved = |range: &[Step], states: &[State]| -> Vec<SavedStep> {
            let pairs = range.iter().zip(states);
            pairs.filter_map(|(step, before)| saved_step(origin.program, step, before)).collect()
        };
        let start = cycle.unwrap_or(0).min(steps.len());
        SavedRun {
            format: FORMAT,
            model: origin.model.to_string(),
            defines: origin.defines.to_vec(),
            fingerprint: fingerprint(origin.program),
            shows,
            initial,
            steps: saved(steps, states),
            // Giving up control is no step that is saved.
            cycle: cycle.map(|_| saved(&steps[..start], states).len()),
        }
    }

    /// # Errors
    /// What is wrong with the text.
    pub fn read(text: &str) -> Result<SavedRun, String> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let bad = |error: serde_json::Error| format!("not a saved counterexample: {error}");
        let Format { format } = serde_json::from_str(text).map_err(bad)?;
        if format != FORMAT {
            return Err(format!("its format is {format}, this version reads {FORMAT}"));
        }
        let saved: SavedRun = serde_json::from_str(text).map_err(bad)?;
        if saved.cycle.is_some_and(|cycle| cycle > saved.steps.len()) {
            return Err("not a saved counterexample: the cycle begins behind the end".into());
        }
        Ok(saved)
    }

    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// What the model must be read with, see [`load_with`](crate::load::load_with).
    ///
    /// # Errors
    /// What is wrong with the saved property.
    pub fn texts(&self) -> Result<Vec<String>, String> {
        match &self.shows {
            Shows::Error(_) => Ok(Vec::new()),
            Shows::Property { wanted, assumed, .. } => {
                let each: Result<Vec<_>, String> =
                    [wanted].into_iter().chain(assumed).map(Wanted::texts).collect();
                each.map(|texts| texts.concat())
            }
        }
    }

    /// Who says whether the property is violated in a model that was loaded with these texts; nobody if the run is to an error. A formula of branching time is decided
    /// for that, within the limits.
    ///
    /// # Errors
    /// The model does not have the property any more, or it cannot be asked.
    pub fn judge(&self, model: &Model, limits: Limits<'_>) -> Result<Option<Box<dyn Judges>>, String> {
        let Some((property, choice)) = self.property(model)? else { return Ok(None) };
        if let Meaning::Branching(formula) = &property.meaning {
            let options = Options { limits, ..Options::default() };
            let judge = BranchingJudge::new(&model.program, formula, &choice, &options);
            let judge = judge.map_err(|reason| format!("`{}` cannot be decided: {reason}", property.name))?;
            return Ok(Some(Box::new(judge)));
        }
        let judge = Judge::new(&model.program, &property, &choice, limits.budget)
            .map_err(|error| error.to_string())?;
        Ok(Some(Box::new(judge.with_rounds(ROUNDS))))
    }

    /// The property that the run violates, and of which runs; none if it leads to an error.
    fn property(&self, model: &Model) -> Result<Option<(Property, Choice)>, String> {
        let Shows::Property { wanted, fairness, assumed, .. } = &self.shows else { return Ok(None) };
        let named = |name: &String| {
            let known = Fairness::ALL.into_iter().find(|notion| notion.name() == name);
            known.ok_or_else(|| format!("not a saved counterexample: there is no fairness `{name}`"))
        };
        let fairness = fairness.as_ref().map(named).transpose()?;
        let mut given = model.given.iter();
        let property = wanted.find(model, &mut given)?;
        let assumptions: Result<Vec<Assumption>, String> =
            assumed.iter().map(|each| Assumption::find(each, model, &mut given)).collect();
        let choice = Choice { fairness, assumptions: assumptions?, ..Choice::default() };
        Ok(Some((property, choice)))
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

#[cfg(test)]
mod tests;
