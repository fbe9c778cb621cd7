//! The report as one JSON object. Its shape is a public interface: fields may be added, never
//! changed.

use super::counterexample::shown;
use super::properties::unproven;
use super::text::{UNSHOWN, reason};
use super::{Report, printable_json, verdict_name};
use crate::check::{PropertyResult, Remedy, SafetyResult};
use crate::model::Problem;
use crate::property::Property;
use crate::run::Counterexample;
use crate::run::steps::{Mover, ShownStep};
use lariat_ir::trace::Change;
use lariat_search::Verdict;
use lariat_search::product::PacketFigures;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document<'a> {
    model: &'a str,
    verdict: &'static str,
    properties: Vec<PropertyJson<'a>>,
    /// Properties that the model states and that were not checked.
    not_checked: Vec<NotChecked<'a>>,
    unreached: Vec<UnreachedStatement<'a>>,
    /// Why the runs are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<&'a str>,
}

#[derive(Serialize)]
struct PropertyJson<'a> {
    name: &'a str,
    kind: &'a str,
    verdict: &'static str,
    reason: Option<String>,
    statistics: StatisticsJson,
    errors: u64,
    error_kinds: Vec<&'static str>,
    /// The different errors of the program; `errors` counts all occurrences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    different_errors: Vec<DifferentError>,
    exhaustive: bool,
    /// For properties of infinite runs: the search that was used, the reason for it, and the size
    /// of the automaton.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    automaton_states: Option<usize>,
    /// The hybrid storage of the product, if it was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    hybrid: Option<HybridJson>,
    /// The notion of fairness that was assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness: Option<&'static str>,
    /// The fairness automata that were assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<&'a str>,
    /// The effect of fairness assumptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<RemedyJson>,
    /// Labels that the property depends on and that are passed unobserved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unseen_labels: Vec<String>,
    /// Why the counterexample is not proven to be shortest, if a shortest one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_proven_shortest: Option<String>,
    trace: Option<TraceJson>,
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
        DifferentError {
            kind: found.error().map_or("", |error| error.kind()),
            message: found.error().map(ToString::to_string).unwrap_or_default(),
            steps: found.prefix.len(),
        }
    }
}

#[derive(Serialize)]
struct RemedyJson {
    /// Does the property hold under fairness? `inconclusive` if that was not decided in time.
    verdict: &'static str,
    /// The weakest notion of fairness under which it holds.
    fairness: Option<&'static str>,
    text: String,
}

impl From<Remedy> for RemedyJson {
    fn from(remedy: Remedy) -> RemedyJson {
        let (verdict, fairness) = match remedy {
            Remedy::Holds(notion) => (Verdict::Holds, Some(notion.name())),
            Remedy::Violated { .. } => (Verdict::Violated, None),
            Remedy::Unknown(_) => (Verdict::Inconclusive, None),
        };
        RemedyJson { verdict: verdict_name(verdict), fairness, text: remedy.to_string() }
    }
}

#[derive(Serialize)]
struct StatisticsJson {
    /// Different states; an estimate if states were replaced (`replaced` is not 0).
    states: u64,
    /// The states were counted in a reduced program.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    after_reductions: bool,
    transitions: u64,
    atomic_steps: u64,
    /// Absent for cycle searches without a depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u64>,
    state_bytes: u64,
    /// The part of the memory that the store of visited states uses.
    store_bytes: u64,
    memory_bytes: u64,
    seconds: f64,
    /// The number of states when memory ran out and they were compressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed_at: Option<u64>,
    /// How often the layout was widened because a value did not fit it.
    widenings: u64,
    /// The expected number of omitted states, for stores that can omit states.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_omissions: Option<f64>,
    /// For a store that replaces states: insertions, replaced states, the estimated number of
    /// different states, repeated insertions of a stored state, and states that could not be
    /// replaced.
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
struct HybridJson {
    tail: &'static str,
    packets: u64,
    tails: u64,
    nodes: u64,
    bytes_per_node: f64,
}

#[derive(Serialize)]
struct TraceJson {
    prefix: Vec<TraceStep>,
    /// Repeated forever.
    cycle: Vec<TraceStep>,
    /// Nothing can move after the prefix: the run stays in its last state forever.
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
    /// The values of the property's conditions after the step, where the property observes them.
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

/// The object, on several lines, with a final newline.
pub fn render(report: &Report<'_>) -> String {
    document(report, None)
}

/// The object without the runs, which can be long, and the reason why they are missing.
pub fn render_without_runs(report: &Report<'_>, reason: &str) -> String {
    document(report, Some(reason))
}

fn document(report: &Report<'_>, incomplete: Option<&str>) -> String {
    let runs = incomplete.is_none();
    let safety = report.safety.as_ref().map(|safety| of_safety(safety, runs));
    let properties = report.properties.iter().map(|result| of_property(result, runs));
    let properties = safety.into_iter().chain(properties).collect();
    let not_checked = report.unchecked().map(|property| NotChecked {
        name: &property.name,
        kind: property.kind(),
        reason: "not requested",
    });
    let unreached = report.safety.iter().flat_map(|safety| &safety.unreached);
    let unreached = unreached.map(|statement| UnreachedStatement {
        proctype: &statement.process_type,
        file: &statement.file,
        line: statement.line,
        statement: &statement.statement,
        never_executable: statement.never_executable,
    });
    let document = Document {
        model: &report.model.name,
        verdict: verdict_name(report.verdict()),
        properties,
        not_checked: not_checked.collect(),
        unreached: unreached.collect(),
        incomplete,
    };
    object(&document)
}

/// The object for a model or a command line that was rejected.
pub fn render_rejected(model: &str, problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == "error");
    let error =
        errors.map(|problem| problem.message.as_str()).next().unwrap_or("the model is rejected");
    object(&serde_json::json!({ "model": model, "error": error, "diagnostics": problems }))
}

/// JSON on several lines, with a final newline.
fn object(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string());
    printable_json(&text) + "\n"
}

fn of_safety(result: &SafetyResult, runs: bool) -> PropertyJson<'_> {
    let outcome = &result.outcome;
    PropertyJson {
        name: "safety",
        kind: "safety",
        verdict: verdict_name(outcome.verdict()),
        reason: reason(result),
        statistics: StatisticsJson {
            after_reductions: result.reduced,
            ..statistics(&outcome.statistics, outcome.guarantee)
        },
        errors: outcome.errors,
        error_kinds: outcome.error_kinds.iter().copied().collect(),
        different_errors: result.counterexamples.iter().map(DifferentError::from).collect(),
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
        trace: result.counterexamples.first().filter(|_| runs).map(trace),
    }
}

fn of_property(result: &PropertyResult, runs: bool) -> PropertyJson<'_> {
    let answer = &result.answer;
    let found = result.counterexample.as_ref();
    let error = found.and_then(Counterexample::error);
    PropertyJson {
        name: &result.name,
        kind: result.kind,
        verdict: verdict_name(result.verdict),
        reason: error
            .map(ToString::to_string)
            .or_else(|| found?.reported().map(ToString::to_string))
            .or_else(|| result.unsuitable.as_ref().map(|reason| reason.to_string()))
            .or_else(|| answer.unshown.map(|limit| format!("{limit}; {UNSHOWN}")))
            .or_else(|| answer.limit.map(|limit| limit.to_string()))
            .or_else(|| unproven(result)),
        statistics: StatisticsJson {
            depth: Some(answer.statistics.depth).filter(|depth| *depth > 0),
            ..statistics(&answer.statistics, lariat_search::Guarantee::Exact)
        },
        errors: u64::from(result.verdict == Verdict::Violated),
        error_kinds: error.iter().map(|error| error.kind()).collect(),
        different_errors: Vec::new(),
        exhaustive: result.verdict == Verdict::Holds,
        search: Some(result.search),
        because: Some(result.because),
        automaton_states: Some(result.automaton_states),
        hybrid: answer.packets.map(|PacketFigures { tail, packets, tails, nodes }| HybridJson {
            tail: tail.name(),
            packets,
            tails,
            nodes,
            bytes_per_node: answer.statistics.store_bytes as f64 / nodes.max(1) as f64,
        }),
        fairness: result.fairness.map(|fairness| fairness.name()),
        assumed: result.assumed.iter().map(Property::name).collect(),
        remedy: result.remedy.map(RemedyJson::from),
        unseen_labels: result.unseen.iter().map(ToString::to_string).collect(),
        not_proven_shortest: answer.unproven.map(|reason| reason.to_string()),
        trace: found.filter(|_| runs).map(trace),
    }
}

fn trace(found: &Counterexample) -> TraceJson {
    let atoms = |step: usize| {
        let values = found.values.get(step + 1)?.as_ref()?;
        Some(found.atoms.iter().cloned().zip(values.iter().copied()).collect())
    };
    let (mut prefix, mut cycle) = (Vec::new(), Vec::new());
    for (index, step) in shown(found) {
        let step = TraceStep { atoms: atoms(index), ..trace_step(step) };
        if index < found.prefix.len() { prefix.push(step) } else { cycle.push(step) }
    }
    let stutters = found.is_infinite() && cycle.is_empty();
    TraceJson { prefix, cycle, stutters }
}

fn statistics(
    statistics: &lariat_search::Statistics,
    guarantee: lariat_search::Guarantee,
) -> StatisticsJson {
    StatisticsJson {
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
        widenings: statistics.widenings,
        expected_omissions: match guarantee {
            lariat_search::Guarantee::Exact => None,
            lariat_search::Guarantee::Omissions { expected } => Some(expected),
        },
        insertions: statistics.revisits.map(|revisits| revisits.insertions),
        replaced: statistics.revisits.map(|revisits| revisits.replaced),
        distinct: statistics.revisits.map(|revisits| revisits.distinct),
        reentries: statistics.revisits.map(|revisits| revisits.reentries),
        kept: statistics.revisits.map(|revisits| revisits.kept),
    }
}

fn trace_step(step: ShownStep) -> TraceStep {
    let changes = step.changes.into_iter().map(|Change { name, value }| (name, value)).collect();
    TraceStep { mover: step.mover, receiver: step.receiver, changes, atoms: None }
}
