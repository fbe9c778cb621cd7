//! The report as one JSON object, for machines. Its shape is a contract: add fields, never change them.

use super::lasso::{shown, unproven};
use super::text::{UNSHOWN, without_run};
use super::{Report, printable_json, verdict_name};
use crate::check::Counterexample;
use crate::load::Problem;
use crate::property::{self, Wanted};
use crate::run::{Mover, ShownStep, show_run};
use model::trace::Change;
use search::product::PacketFigures;
use search::{Verdict, Violation};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document<'a> {
    model: &'a str,
    verdict: &'static str,
    properties: Vec<Property<'a>>,
    /// Properties of the model that nobody has looked at.
    not_checked: Vec<NotChecked<'a>>,
    unreached: Vec<UnreachedStatement<'a>>,
}

#[derive(Serialize)]
struct Property<'a> {
    name: &'a str,
    kind: &'a str,
    verdict: &'static str,
    reason: Option<String>,
    statistics: Statistics,
    errors: u64,
    error_kinds: Vec<&'static str>,
    /// The different errors of the program that were found; `errors` counts how often one was met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    different_errors: Vec<DifferentError>,
    exhaustive: bool,
    /// Of infinite runs: which search was used, why, and how large the automaton of forbidden runs was.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    automaton_states: Option<usize>,
    /// If the states of the product were stored in packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    hybrid: Option<Hybrid>,
    /// The notion of fairness that was assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness: Option<&'static str>,
    /// The automata of fair runs that were assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<&'a str>,
    /// What fairness would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<Remedy>,
    /// Labels the property asks for that are passed where it does not look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unseen_labels: Vec<String>,
    /// A shortest run was asked for: why there may be a shorter one than the one shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_proven_shortest: Option<String>,
    trace: Option<Trace>,
}

#[derive(Serialize)]
struct DifferentError {
    kind: &'static str,
    message: String,
    /// The length of the run that shows it.
    steps: usize,
}

impl From<&Counterexample> for DifferentError {
    fn from(found: &Counterexample) -> DifferentError {
        let Violation { error, run } = &found.violation;
        DifferentError { kind: error.kind(), message: error.to_string(), steps: run.steps.len() }
    }
}

#[derive(Serialize)]
struct Remedy {
    /// Does the property hold under fairness? `inconclusive` if that could not be found out in time.
    verdict: &'static str,
    /// The weakest notion under which it holds.
    fairness: Option<&'static str>,
    text: String,
}

impl From<property::Remedy> for Remedy {
    fn from(remedy: property::Remedy) -> Remedy {
        let (verdict, fairness) = match remedy {
            property::Remedy::Holds(notion) => (Verdict::Holds, Some(notion.name())),
            property::Remedy::Violated { .. } => (Verdict::Violated, None),
            property::Remedy::Unknown(_) => (Verdict::Inconclusive, None),
        };
        Remedy { verdict: verdict_name(verdict), fairness, text: remedy.to_string() }
    }
}

#[derive(Serialize)]
struct Statistics {
    /// Different states; an estimate if some were forgotten (`replaced` is not 0).
    states: u64,
    /// They were counted in a program that reductions made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    after_reductions: bool,
    transitions: u64,
    atomic_steps: u64,
    /// Not every search for cycles has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u64>,
    state_bytes: u64,
    /// What the store of visited states takes, of all memory.
    store_bytes: u64,
    memory_bytes: u64,
    seconds: f64,
    /// If memory grew short: how many states there were when they were compressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed_at: Option<u64>,
    /// If states may have been omitted: how many are expected to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_omissions: Option<f64>,
    /// If states were forgotten and visited again: how often a state was new, how many were forgotten, about how many
    /// different ones there were; how often one that was there had to be entered again; how many had to be kept at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    insertions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reentries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<u64>,
}

#[derive(Serialize)]
struct Hybrid {
    tail: &'static str,
    packets: u64,
    tails: u64,
    nodes: u64,
    bytes_per_node: f64,
}

#[derive(Serialize)]
struct Trace {
    prefix: Vec<TraceStep>,
    /// Repeated forever.
    cycle: Vec<TraceStep>,
    /// Nothing can move behind the prefix: the run stays in its last state forever.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stutters: bool,
}

#[derive(Serialize)]
struct TraceStep {
    #[serde(flatten)]
    mover: Mover,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<Mover>,
    changes: BTreeMap<String, String>,
    /// The values of the property's conditions behind the step, where the property looks at them.
    #[serde(skip_serializing_if = "Option::is_none")]
    atoms: Option<BTreeMap<String, bool>>,
}

#[derive(Serialize)]
struct NotChecked<'a> {
    name: &'a str,
    kind: &'a str,
    reason: &'static str,
}

#[derive(Serialize)]
struct UnreachedStatement<'a> {
    proctype: &'a str,
    file: &'a str,
    line: u32,
    statement: &'a str,
    never_executable: bool,
}

/// The object, on several lines, with a line end.
pub fn render(report: &Report<'_>) -> String {
    let outcome = &report.checked.outcome;
    let safety = report.safety.then(|| Property {
        name: "safety",
        kind: "safety",
        verdict: verdict_name(outcome.verdict()),
        reason: reason(report),
        statistics: Statistics {
            after_reductions: report.checked.reduced,
            ..statistics(&outcome.statistics, outcome.guarantee)
        },
        errors: outcome.errors,
        error_kinds: outcome.error_kinds.iter().copied().collect(),
        different_errors: report.checked.counterexamples.iter().map(DifferentError::from).collect(),
        exhaustive: outcome.exhaustive,
        search: None,
        because: None,
        automaton_states: None,
        hybrid: None,
        fairness: None,
        assumed: Vec::new(),
        remedy: None,
        unseen_labels: Vec::new(),
        not_proven_shortest: None,
        trace: trace(report),
    });
    let liveness = report.liveness.iter().map(|checked| infinite(report, checked));
    let properties = safety.into_iter().chain(liveness).collect();
    let not_checked = report.unchecked().map(|property| NotChecked {
        name: &property.name,
        kind: property.kind,
        reason: "not asked for",
    });
    let unreached = report.checked.unreached.iter().map(|statement| UnreachedStatement {
        proctype: &statement.process_type,
        file: &statement.file,
        line: statement.line,
        statement: &statement.statement,
        never_executable: statement.never_executable,
    });
    let document = Document {
        model: report.model,
        verdict: verdict_name(report.verdict()),
        properties,
        not_checked: not_checked.collect(),
        unreached: unreached.collect(),
    };
    object(&document)
}

/// Why there is no report: what is wrong with the model or the command line.
pub fn render_rejected(model: &str, problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == "error");
    let error = errors.map(|problem| problem.message.as_str()).next().unwrap_or("the model is rejected");
    object(&serde_json::json!({ "model": model, "error": error, "diagnostics": problems }))
}

/// On several lines, with a line end.
fn object(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string());
    printable_json(&text) + "\n"
}

/// Why the verdict is not "holds".
fn reason(report: &Report<'_>) -> Option<String> {
    match report.checked.counterexamples.first() {
        Some(first) => Some(first.violation.error.to_string()),
        None => without_run(report),
    }
}

/// A property of infinite runs.
fn infinite<'a>(report: &Report<'a>, checked: &'a property::Checked) -> Property<'a> {
    let answer = &checked.answer;
    let failure = answer.failure.as_ref().map(|failure| failure.error.to_string());
    Property {
        name: &checked.name,
        kind: checked.kind,
        verdict: verdict_name(checked.verdict),
        reason: failure
            .or_else(|| checked.lasso.as_ref()?.reported.clone())
            .or_else(|| checked.unsuitable.as_ref().map(|reason| reason.to_string()))
            .or_else(|| answer.unshown.map(|limit| format!("{limit}; {UNSHOWN}")))
            .or_else(|| answer.limit.map(|limit| limit.to_string()))
            .or_else(|| unproven(checked)),
        statistics: Statistics {
            depth: Some(answer.statistics.depth).filter(|depth| *depth > 0),
            ..statistics(&answer.statistics, search::Guarantee::Exact)
        },
        errors: u64::from(checked.verdict == Verdict::Violated),
        error_kinds: answer.failure.iter().map(|failure| failure.error.kind()).collect(),
        different_errors: Vec::new(),
        exhaustive: checked.verdict == Verdict::Holds,
        search: Some(checked.search),
        because: Some(checked.because),
        automaton_states: Some(checked.automaton_states),
        hybrid: answer.packets.map(|PacketFigures { tail, packets, tails, nodes }| Hybrid {
            tail: tail.name(),
            packets,
            tails,
            nodes,
            bytes_per_node: answer.statistics.store_bytes as f64 / nodes.max(1) as f64,
        }),
        fairness: checked.fairness.map(|fairness| fairness.name()),
        assumed: checked.assumed.iter().map(Wanted::name).collect(),
        remedy: checked.remedy.map(Remedy::from),
        unseen_labels: checked.unseen.iter().map(ToString::to_string).collect(),
        not_proven_shortest: answer.unproven.map(|reason| reason.to_string()),
        trace: lasso_trace(report, checked),
    }
}

fn lasso_trace(report: &Report<'_>, checked: &property::Checked) -> Option<Trace> {
    if let Some(failure) = &checked.failure {
        let steps = show_run(report.program, &failure.violation.run.steps, &failure.states);
        let prefix = steps.into_iter().map(trace_step).collect();
        return Some(Trace { prefix, cycle: Vec::new(), stutters: false });
    }
    let lasso = checked.lasso.as_ref()?;
    let atoms = |step: usize| {
        let values = lasso.values.get(step + 1)?.as_ref()?;
        Some(lasso.atoms.iter().cloned().zip(values.iter().copied()).collect())
    };
    let mut trace = Trace { prefix: Vec::new(), cycle: Vec::new(), stutters: false };
    for (index, step) in shown(report.program, lasso) {
        let step = TraceStep { atoms: atoms(index), ..trace_step(step) };
        if index < lasso.prefix.len() { trace.prefix.push(step) } else { trace.cycle.push(step) }
    }
    trace.stutters = !lasso.cycle.is_empty() && trace.cycle.is_empty();
    Some(trace)
}

fn statistics(statistics: &search::Statistics, guarantee: search::Guarantee) -> Statistics {
    Statistics {
        states: statistics.different_states(),
        after_reductions: false,
        transitions: statistics.transitions,
        atomic_steps: statistics.atomic_steps,
        depth: Some(statistics.depth),
        state_bytes: statistics.state_bytes,
        store_bytes: statistics.store_bytes,
        memory_bytes: statistics.memory_bytes,
        seconds: statistics.time.as_secs_f64(),
        compressed_at: statistics.compressed,
        expected_omissions: match guarantee {
            search::Guarantee::Exact => None,
            search::Guarantee::Omissions { expected } => Some(expected),
        },
        insertions: statistics.revisits.map(|revisits| revisits.insertions),
        replaced: statistics.revisits.map(|revisits| revisits.replaced),
        distinct: statistics.revisits.map(|revisits| revisits.distinct),
        reentries: statistics.revisits.map(|revisits| revisits.reentries),
        kept: statistics.revisits.map(|revisits| revisits.kept),
    }
}

fn trace(report: &Report<'_>) -> Option<Trace> {
    let first = report.checked.counterexamples.first()?;
    let steps = show_run(report.program, &first.violation.run.steps, &first.states);
    Some(Trace { prefix: steps.into_iter().map(trace_step).collect(), cycle: Vec::new(), stutters: false })
}

fn trace_step(step: ShownStep) -> TraceStep {
    let changes = step.changes.into_iter().map(|Change { name, value }| (name, value)).collect();
    TraceStep { mover: step.mover, receiver: step.receiver, changes, atoms: None }
}
