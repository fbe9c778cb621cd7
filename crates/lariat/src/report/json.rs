//! The report as one JSON object, for machines. Its shape is a contract: add fields, never change them.

use super::{Report, verdict_name};
use crate::run::{Mover, ShownStep, show_run};
use model::trace::Change;
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
    exhaustive: bool,
    trace: Option<Trace>,
}

#[derive(Serialize)]
struct Statistics {
    states: u64,
    transitions: u64,
    atomic_steps: u64,
    depth: u64,
    state_bytes: u64,
    memory_bytes: u64,
    seconds: f64,
    /// If states may have been omitted: how many are expected to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_omissions: Option<f64>,
    /// If states were forgotten and visited again: how often a state was new, how many were forgotten, about how many
    /// different ones there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    insertions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<u64>,
}

#[derive(Serialize)]
struct Trace {
    prefix: Vec<TraceStep>,
    cycle: Vec<TraceStep>,
}

#[derive(Serialize)]
struct TraceStep {
    #[serde(flatten)]
    mover: Mover,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<Mover>,
    changes: BTreeMap<String, String>,
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
    let verdict = verdict_name(outcome.verdict());
    let safety = Property {
        name: "safety",
        kind: "safety",
        verdict,
        reason: reason(report),
        statistics: statistics(outcome),
        errors: outcome.errors,
        error_kinds: outcome.error_kinds.iter().copied().collect(),
        exhaustive: outcome.exhaustive,
        trace: trace(report),
    };
    let not_checked = report.properties.iter().map(|property| NotChecked {
        name: &property.name,
        kind: property.kind,
        reason: "not checked yet",
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
        verdict,
        properties: vec![safety],
        not_checked: not_checked.collect(),
        unreached: unreached.collect(),
    };
    let text = serde_json::to_string_pretty(&document).unwrap_or_else(|error| error.to_string());
    text + "\n"
}

/// Why the verdict is not "holds".
fn reason(report: &Report<'_>) -> Option<String> {
    match report.checked.counterexamples.first() {
        Some(first) => Some(first.violation.error.to_string()),
        None => report.checked.outcome.limit.map(|limit| limit.to_string()),
    }
}

fn statistics(outcome: &search::Outcome) -> Statistics {
    let statistics = &outcome.statistics;
    Statistics {
        states: statistics.states,
        transitions: statistics.transitions,
        atomic_steps: statistics.atomic_steps,
        depth: statistics.depth,
        state_bytes: statistics.state_bytes,
        memory_bytes: statistics.memory_bytes,
        seconds: statistics.time.as_secs_f64(),
        expected_omissions: match outcome.guarantee {
            search::Guarantee::Exact => None,
            search::Guarantee::Omissions { expected } => Some(expected),
        },
        insertions: outcome.statistics.revisits.map(|revisits| revisits.insertions),
        replaced: outcome.statistics.revisits.map(|revisits| revisits.replaced),
        distinct: outcome.statistics.revisits.map(|revisits| revisits.distinct),
    }
}

fn trace(report: &Report<'_>) -> Option<Trace> {
    let first = report.checked.counterexamples.first()?;
    let steps = show_run(report.program, &first.violation.run.steps, &first.states);
    Some(Trace { prefix: steps.into_iter().map(trace_step).collect(), cycle: Vec::new() })
}

fn trace_step(step: ShownStep) -> TraceStep {
    let changes = step.changes.into_iter().map(|Change { name, value }| (name, value)).collect();
    TraceStep { mover: step.mover, receiver: step.receiver, changes }
}
