//! What a report says of each property, in the one form that machine-readable reports and pages are made from.

use super::text::{UNSHOWN, without_run};
use super::{Report, verdict_name};
use crate::check::Counterexample;
use crate::explain::{Deadlock, deadlock};
use crate::property::{self, Lasso};
use crate::trace::{Act, Trace};
use model::program::Extent;
use model::trace::moves;
use model::{Program, RuntimeError};
use search::{Guarantee, Run, Statistics, Verdict};
use serde::Serialize;

/// One property and what is known of it.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub name: String,
    pub kind: &'static str,
    /// `holds`, `violated`, `inconclusive` or `not checked`
    pub verdict: &'static str,
    /// Why the verdict is not "holds".
    pub reason: Option<String>,
    /// What fairness would change.
    pub remedy: Option<String>,
    pub figures: Option<Figures>,
    pub runs: Vec<ShownRun>,
}

impl Finding {
    /// The runs that show something wrong; a formula that holds may have one too, which shows why.
    pub fn violations(&self) -> &[ShownRun] {
        if self.verdict == verdict_name(Verdict::Violated) { &self.runs } else { &[] }
    }
}

/// How much was searched.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub memory_bytes: u64,
    pub seconds: f64,
    pub exhaustive: bool,
    /// If states may have been omitted: how many are expected to be.
    pub expected_omissions: Option<f64>,
}

/// A counterexample.
#[derive(Clone, Debug, Serialize)]
pub struct ShownRun {
    /// What kind of error, `assertion violated`.
    pub kind: &'static str,
    pub error: String,
    pub trace: Trace,
    /// If nothing can move at the end: why.
    pub deadlock: Option<Deadlock>,
    /// Its steps.
    #[serde(skip)]
    pub run: Run,
}

/// A place in a file of the model; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub file: String,
    pub line: u32,
    pub extent: Option<Extent>,
}

impl ShownRun {
    pub fn new(program: &Program, found: &Counterexample) -> ShownRun {
        let error = &found.violation.error;
        let stuck = (*error == RuntimeError::InvalidEndState).then(|| found.states.last()).flatten();
        ShownRun {
            kind: error.kind(),
            error: error.to_string(),
            trace: Trace::new(program, &found.violation.run.steps, &found.states, None, error.to_string()),
            deadlock: stuck.map(|state| deadlock(program, state)),
            run: found.violation.run.clone(),
        }
    }

    /// A run on which a property is violated, or one that shows why a formula of branching time holds.
    pub fn of_lasso(program: &Program, lasso: &Lasso, verdict: Verdict) -> ShownRun {
        let steps = lasso.steps();
        let cycle = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
        let kind = if verdict == Verdict::Holds { "this shows why it holds" } else { "property violated" };
        let error = lasso.reported.clone().unwrap_or_else(|| kind.into());
        let trace = Trace::new(program, &steps, &lasso.states, cycle, error.clone());
        // A run that comes to its end stays there forever: say why.
        let stuck = cycle.is_some() && lasso.cycle.iter().all(|step| moves(step).next().is_none());
        ShownRun {
            kind,
            error,
            trace: trace.with_atoms(&steps, &lasso.atoms, &lasso.values),
            deadlock: lasso.states.last().filter(|_| stuck).map(|state| deadlock(program, state)),
            run: Run { initial: lasso.initial, steps },
        }
    }

    /// Where to look first: the statement that failed, or one that waits in vain.
    pub fn position(&self) -> Option<Position> {
        if let Some(deadlock) = &self.deadlock {
            let waits = deadlock.processes.iter().filter(|process| !process.may_rest);
            let first = waits.flat_map(|process| &process.waits).find(|wait| !wait.file.is_empty())?;
            return Some(Position { file: first.file.clone(), line: first.line, extent: None });
        }
        let act = self.trace.events.last()?.actions.last()?;
        Some(Position::from(act)).filter(|place| !place.file.is_empty())
    }
}

impl From<&Act> for Position {
    fn from(act: &Act) -> Position {
        Position { file: act.file.clone(), line: act.line, extent: act.extent }
    }
}

/// By property, the safety of the model first.
pub fn findings(report: &Report<'_>) -> Vec<Finding> {
    let outcome = &report.checked.outcome;
    let runs = report.checked.counterexamples.iter().map(|found| ShownRun::new(report.program, found));
    let runs: Vec<ShownRun> = runs.collect();
    let safety = Finding {
        name: "safety".into(),
        kind: "safety",
        verdict: verdict_name(outcome.verdict()),
        reason: match runs.first() {
            Some(first) => Some(first.error.clone()),
            None => without_run(report),
        },
        remedy: None,
        figures: Some(Figures {
            exhaustive: outcome.exhaustive,
            expected_omissions: match outcome.guarantee {
                Guarantee::Exact => None,
                Guarantee::Omissions { expected } => Some(expected),
            },
            ..figures(&outcome.statistics)
        }),
        runs,
    };
    let safety = report.safety.then_some(safety);
    let liveness = report.liveness.iter().map(|checked| infinite(report.program, checked));
    let others = report.unchecked().map(|property| Finding {
        name: property.name.clone(),
        kind: property.kind,
        verdict: "not checked",
        reason: None,
        remedy: None,
        figures: None,
        runs: Vec::new(),
    });
    safety.into_iter().chain(liveness).chain(others).collect()
}

/// A property of infinite runs.
fn infinite(program: &Program, checked: &property::Checked) -> Finding {
    let lasso = checked.lasso.as_ref().map(|lasso| ShownRun::of_lasso(program, lasso, checked.verdict));
    let failure = checked.failure.as_ref().map(|found| ShownRun::new(program, found));
    let runs: Vec<ShownRun> = lasso.into_iter().chain(failure).collect();
    let unshown = checked.answer.unshown.map(|limit| format!("{limit}; {UNSHOWN}"));
    let limit = unshown.or_else(|| checked.answer.limit.map(|limit| limit.to_string()));
    let unsuitable = checked.unsuitable.as_ref().map(|reason| reason.to_string());
    Finding {
        name: checked.name.clone(),
        kind: checked.kind,
        verdict: verdict_name(checked.verdict),
        reason: match checked.verdict {
            Verdict::Holds => None,
            _ => runs.first().map(|first| first.error.clone()).or(unsuitable).or(limit),
        },
        remedy: checked.remedy.map(|remedy| remedy.to_string()),
        figures: Some(Figures {
            exhaustive: checked.verdict == Verdict::Holds,
            ..figures(&checked.answer.statistics)
        }),
        runs,
    }
}

fn figures(statistics: &Statistics) -> Figures {
    Figures {
        states: statistics.different_states(),
        transitions: statistics.transitions,
        depth: statistics.depth,
        memory_bytes: statistics.memory_bytes,
        seconds: statistics.time.as_secs_f64(),
        exhaustive: false,
        expected_omissions: None,
    }
}
