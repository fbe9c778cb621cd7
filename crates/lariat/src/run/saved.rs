//! Counterexamples in files: saved together with their origin, so that
//! [`replay`](super::replay) can follow them after the model was edited.
//!
//! A saved step names its process and the text of its statement, so that lines may move and other
//! code may change.

use super::Counterexample;
use super::steps::{Mover, show_step};
use crate::check::{self, BranchingJudge, Judge, Judges, PropertyResult, Settings};
use crate::model::{Define, Model};
use crate::property::{Assumption, Meaning, Property};
use lariat_ir::{Program, RuntimeError, State, Step};
use lariat_search::liveness::fairness::Fairness;
use lariat_search::{Limits, Options};
use serde::{Deserialize, Serialize};

/// The version of the file format.
const FORMAT: u32 = 3;

/// Rounds after which a cycle must close: a byte that is incremented in each round has its first
/// value again after 256.
const ROUNDS: usize = 256;

/// A counterexample as it is stored in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    /// The version of the file format.
    pub format: u32,
    /// The model's name when the run was saved.
    pub model: String,
    /// The macros that were defined.
    pub defines: Vec<Define>,
    /// The fingerprint of the program, in hexadecimal digits.
    pub fingerprint: String,
    /// What the run was saved for.
    pub shows: SavedEvidence,
    /// The index of the initial state.
    pub initial: usize,
    /// All steps, with one round of the cycle.
    pub steps: Vec<SavedStep>,
    /// If the run is infinite: the index of the first step of its cycle; the number of steps if
    /// nothing can move after them.
    pub cycle: Option<usize>,
}

/// What a saved run shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SavedEvidence {
    /// The run ends with this error.
    Error(RuntimeError),
    /// A property is violated.
    Property {
        /// The property.
        #[serde(rename = "wanted")]
        request: Property,
        /// The notion of fairness that was assumed.
        fairness: Option<String>,
        /// The fairness automata that were assumed.
        assumed: Vec<Property>,
        /// A condition of the property has no value at the end of the run.
        no_value: Option<RuntimeError>,
    },
}

/// A step of a saved run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStep {
    /// One move; sender and receiver for a rendezvous.
    pub moves: Vec<SavedMove>,
}

/// A move of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMove {
    /// `name[pid]`
    pub process: String,
    /// The file of the statement.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1.
    pub column: Option<u32>,
    /// The text of the statement.
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

/// The fingerprint of a program, in the form stored in files.
pub fn fingerprint(program: &Program) -> String {
    format!("{:016x}", check::fingerprint(program, false))
}

/// The origin of a run.
#[derive(Clone, Copy, Debug)]
pub struct FoundIn<'a> {
    /// The name of the model.
    pub model: &'a str,
    /// The macros that were defined.
    pub defines: &'a [Define],
    /// The program of the model.
    pub program: &'a Program,
}

impl SavedRun {
    /// Saves a run to an error.
    pub fn of_error(origin: &FoundIn<'_>, found: &Counterexample) -> Option<SavedRun> {
        let error = found.error()?.clone();
        Some(SavedRun::new(origin, SavedEvidence::Error(error), found))
    }

    /// Saves the run that violates a property, if there is one.
    pub fn of_property(origin: &FoundIn<'_>, result: &PropertyResult) -> Option<SavedRun> {
        let found = result.counterexample.as_ref()?;
        let shows = SavedEvidence::Property {
            request: result.request.clone(),
            fairness: result.fairness.map(|fairness| fairness.name().to_string()),
            assumed: result.assumed.clone(),
            no_value: found.error().cloned(),
        };
        Some(SavedRun::new(origin, shows, found))
    }

    fn new(origin: &FoundIn<'_>, shows: SavedEvidence, found: &Counterexample) -> SavedRun {
        let saved = |steps: &[Step]| -> Vec<SavedStep> {
            let pairs = steps.iter().zip(&found.states);
            pairs.filter_map(|(step, before)| saved_step(origin.program, step, before)).collect()
        };
        SavedRun {
            format: FORMAT,
            model: origin.model.to_string(),
            defines: origin.defines.to_vec(),
            fingerprint: fingerprint(origin.program),
            shows,
            initial: found.initial,
            steps: saved(&found.steps()),
            // Steps that only release control are not saved.
            cycle: found.cycle_start().map(|_| saved(&found.prefix).len()),
        }
    }

    /// Reads the contents of a file.
    ///
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
            return Err(format!(
                "the file has format {format}; this version reads format {FORMAT}"
            ));
        }
        let saved: SavedRun = serde_json::from_str(text).map_err(bad)?;
        if saved.cycle.is_some_and(|cycle| cycle > saved.steps.len()) {
            return Err("not a saved counterexample: the cycle begins after the last step".into());
        }
        Ok(saved)
    }

    /// The contents of the file.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The properties that the model must be read with, see
    /// [`ModelReader::properties`](crate::ModelReader::properties).
    pub fn properties(&self) -> Vec<Property> {
        match &self.shows {
            SavedEvidence::Error(_) => Vec::new(),
            SavedEvidence::Property { request, assumed, .. } => {
                [request].into_iter().chain(assumed).cloned().collect()
            }
        }
    }

    /// The property that the run violates (`None` if it leads to an error), the automata that were
    /// assumed, and the settings.
    ///
    /// # Errors
    /// The file names an unknown notion of fairness.
    pub(crate) fn request(&self) -> Result<(Option<Property>, Vec<Property>, Settings), String> {
        let SavedEvidence::Property { request, fairness, assumed, .. } = &self.shows else {
            return Ok((None, Vec::new(), Settings::default()));
        };
        let named = |name: &String| {
            let known = Fairness::ALL.into_iter().find(|notion| notion.name() == name);
            known.ok_or_else(|| {
                format!("not a saved counterexample: there is no fairness notion `{name}`")
            })
        };
        let fairness = fairness.as_ref().map(named).transpose()?;
        Ok((Some(request.clone()), assumed.clone(), Settings { fairness, ..Settings::default() }))
    }

    /// The judge of the property in a model that was read with these
    /// [properties](SavedRun::properties); `None` if the run leads to an error. A branching-time
    /// formula is decided within the limits.
    ///
    /// # Errors
    /// The model no longer has the property, or the property cannot be decided.
    pub fn judge(
        &self,
        model: &Model,
        limits: Limits<'_>,
    ) -> Result<Option<Box<dyn Judges>>, String> {
        let (request, assumed, mut settings) = self.request()?;
        let Some(request) = request else { return Ok(None) };
        let property = request.resolve(model)?;
        for each in &assumed {
            settings.assumptions.push(Assumption::resolve(each, model)?);
        }
        if let Meaning::Branching(formula) = &property.meaning {
            let options = Options { limits, ..Options::default() };
            let judge =
                BranchingJudge::new(&model.program, &property, formula, &settings, &options);
            let judge = judge
                .map_err(|reason| format!("`{}` cannot be decided: {reason}", property.name))?;
            return Ok(Some(Box::new(judge)));
        }
        let judge = Judge::new(&model.program, &property, &settings, limits.budget)
            .map_err(|error| error.to_string())?;
        Ok(Some(Box::new(judge.with_rounds(ROUNDS))))
    }
}

pub(super) fn saved_step(program: &Program, step: &Step, before: &State) -> Option<SavedStep> {
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
#[path = "saved_tests.rs"]
mod tests;
