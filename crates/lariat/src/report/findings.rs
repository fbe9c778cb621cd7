//! The results by property, in the form from which SARIF, JUnit, ITF and the page are rendered.

use super::text::{UNSHOWN, reason};
use super::{Report, verdict_name};
use crate::check::{PropertyResult, SafetyResult};
use crate::explain::{Deadlock, deadlock};
use crate::run::trace::{Act, Trace};
use crate::run::{Counterexample, Evidence};
use lariat_ir::RuntimeError;
use lariat_ir::program::Extent;
use lariat_ir::trace::moves;
use lariat_search::{Guarantee, Run, Statistics, Verdict};
use serde::Serialize;

/// One property and its result.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The name of the property.
    pub name: String,
    /// The kind of property.
    pub kind: &'static str,
    /// `holds`, `violated`, `inconclusive` or `not checked`.
    pub verdict: &'static str,
    /// Why the verdict is not "holds".
    pub reason: Option<String>,
    /// The effect of fairness assumptions.
    pub remedy: Option<String>,
    /// The size and the cost of the search.
    pub figures: Option<Figures>,
    /// The counterexamples, or the run that shows why a formula holds.
    pub runs: Vec<ShownRun>,
}

impl Finding {
    /// The runs that show a violation. A formula that holds can have a run that shows why.
    pub fn violations(&self) -> &[ShownRun] {
        if self.verdict == verdict_name(Verdict::Violated) { &self.runs } else { &[] }
    }
}

/// The size and the cost of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The number of different states.
    pub states: u64,
    /// The number of transitions.
    pub transitions: u64,
    /// The depth that the search reached.
    pub depth: u64,
    /// The memory used.
    pub memory_bytes: u64,
    /// The wall-clock time.
    pub seconds: f64,
    /// All reachable states were visited.
    pub exhaustive: bool,
    /// The expected number of omitted states, for stores that can omit states.
    pub expected_omissions: Option<f64>,
}

/// A counterexample as a drawing and as messages.
#[derive(Clone, Debug, Serialize)]
pub struct ShownRun {
    /// The kind of error, such as `assertion violated`.
    pub kind: &'static str,
    /// The message.
    pub error: String,
    /// The events of the run.
    pub trace: Trace,
    /// Why nothing can move at the end, if that is so.
    pub deadlock: Option<Deadlock>,
    /// The steps.
    #[serde(skip)]
    pub run: Run,
}

/// A position in a file of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The range, if known.
    pub extent: Option<Extent>,
}

impl ShownRun {
    /// The form of a counterexample.
    pub fn new(found: &Counterexample) -> ShownRun {
        let (kind, error) = match &found.shows {
            Evidence::Error(error) | Evidence::NoValue(error) => (error.kind(), error.to_string()),
            Evidence::StateFormula { holds: true } => {
                ("this shows why it holds", "this shows why it holds".into())
            }
            Evidence::Violation(Some(failed)) => ("property violated", failed.clone()),
            Evidence::Violation(None) | Evidence::StateFormula { holds: false } => {
                ("property violated", "property violated".into())
            }
        };
        // The run ends in a deadlock, or stays in its last state forever.
        let stuck = match found.error() {
            Some(error) => *error == RuntimeError::InvalidEndState,
            None => {
                found.is_infinite() && found.cycle.iter().all(|step| moves(step).next().is_none())
            }
        };
        let end = found.states.last().filter(|_| stuck);
        let steps = found.steps();
        let cycle = found.cycle_start();
        let trace = Trace::new(&found.program, &steps, &found.states, cycle, error.clone());
        ShownRun {
            kind,
            error,
            trace: trace.with_atoms(&steps, &found.atoms, &found.values),
            deadlock: end.map(|state| deadlock(&found.program, state)),
            run: Run { initial: found.initial, steps },
        }
    }

    /// The position to show first: the statement that failed, or one that is blocked.
    pub fn position(&self) -> Option<Position> {
        if let Some(deadlock) = &self.deadlock {
            let waits = deadlock.processes.iter().filter(|process| !process.may_rest);
            let first =
                waits.flat_map(|process| &process.waits).find(|wait| !wait.file.is_empty())?;
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

/// One finding for each property: errors first, then the checked properties, then the others.
pub fn findings(report: &Report<'_>) -> Vec<Finding> {
    let safety = report.safety.as_ref().map(of_safety);
    let properties = report.properties.iter().map(of_property);
    let others = report.unchecked().map(|property| Finding {
        name: property.name.clone(),
        kind: property.kind(),
        verdict: "not checked",
        reason: None,
        remedy: None,
        figures: None,
        runs: Vec::new(),
    });
    safety.into_iter().chain(properties).chain(others).collect()
}

fn of_safety(result: &SafetyResult) -> Finding {
    let outcome = &result.outcome;
    Finding {
        name: "safety".into(),
        kind: "safety",
        verdict: verdict_name(outcome.verdict()),
        reason: reason(result),
        remedy: None,
        figures: Some(Figures {
            exhaustive: outcome.exhaustive,
            expected_omissions: match outcome.guarantee {
                Guarantee::Exact => None,
                Guarantee::Omissions { expected } => Some(expected),
            },
            ..figures(&outcome.statistics)
        }),
        runs: result.counterexamples.iter().map(ShownRun::new).collect(),
    }
}

fn of_property(result: &PropertyResult) -> Finding {
    let runs: Vec<ShownRun> = result.counterexample.iter().map(ShownRun::new).collect();
    let unshown = result.answer.unshown.map(|limit| format!("{limit}; {UNSHOWN}"));
    let limit = unshown.or_else(|| result.answer.limit.map(|limit| limit.to_string()));
    let unsuitable = result.unsuitable.as_ref().map(|reason| reason.to_string());
    Finding {
        name: result.name.clone(),
        kind: result.kind,
        verdict: verdict_name(result.verdict),
        reason: match result.verdict {
            Verdict::Holds => None,
            _ => runs.first().map(|first| first.error.clone()).or(unsuitable).or(limit),
        },
        remedy: result.remedy.map(|remedy| remedy.to_string()),
        figures: Some(Figures {
            exhaustive: result.verdict == Verdict::Holds,
            ..figures(&result.answer.statistics)
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
