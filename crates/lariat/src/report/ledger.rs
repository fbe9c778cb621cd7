//! The ledger: what was checked and how exhaustively, and what was not checked, with the flag that
//! checks it.

use super::Report;
use super::text::counted_states;
use crate::check::SafetyResult;
use lariat_ir::program::{Action, BranchKind, Operation, Program};
use lariat_search::{Guarantee, Verdict};
use serde::Serialize;

/// What was checked and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// The kinds of errors and the properties that were checked.
    pub checked: Vec<String>,
    /// The part of the reachable states that was visited.
    pub coverage: String,
    /// What was not checked.
    pub not_checked: Vec<Unchecked>,
}

/// Something that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// Its name.
    pub what: String,
    /// The flag that checks it.
    pub how: String,
}

/// The ledger of a report.
pub fn ledger(report: &Report<'_>) -> Ledger {
    let program = report.program();
    let mut ledger = Ledger::default();
    if let Some(safety) = &report.safety {
        ledger.coverage = coverage(safety);
        let counts =
            [(count_assertions(program), "assertion"), (program.invariants.len(), "invariant")];
        for (number, what) in counts.into_iter().filter(|(number, _)| *number > 0) {
            ledger.checked.push(lariat_promela::diagnostic::count(number, what));
        }
        if let Some(trace) = &program.event_trace {
            let what = if trace.negated { "the notrace" } else { "the event trace" };
            ledger.checked.push(what.into());
        }
        ledger.checked.extend(["deadlocks".into(), "run-time errors".into()]);
    } else {
        let (what, how) = ("errors".into(), "not requested, --property safety".into());
        ledger.not_checked.push(Unchecked { what, how });
    }
    let decided = report.properties.iter().filter(|each| each.verdict != Verdict::Inconclusive);
    ledger.checked.extend(decided.map(|result| format!("{} {}", result.kind, result.name)));
    for property in report.unchecked() {
        ledger.not_checked.push(Unchecked {
            what: format!("{} {}", property.kind(), property.name),
            how: format!("not requested, --property {}", property.name),
        });
    }
    let is_requested = report.properties.iter().any(|result| result.kind == "progress");
    let progress =
        |kind: &lariat_ir::program::ProcessType| kind.locations.iter().any(|place| place.progress);
    if program.process_types.iter().any(progress) && !is_requested {
        let (what, how) = ("non-progress cycles".into(), "not requested, --non-progress".into());
        ledger.not_checked.push(Unchecked { what, how });
    }
    if program.channel_types.iter().any(|kind| kind.capacity > 0) {
        ledger.not_checked.push(Unchecked {
            what: "channels that would grow forever".into(),
            how: "not requested, --unbounded".into(),
        });
    }
    ledger
}

fn coverage(safety: &SafetyResult) -> String {
    let outcome = &safety.outcome;
    let states =
        counted_states(&outcome.statistics) + if safety.reduced { " after reductions" } else { "" };
    if let Some(limit) = outcome.limit {
        return format!("in {states}, not all reachable states: {limit}");
    }
    if let Guarantee::Omissions { expected } = outcome.guarantee
        && outcome.errors == 0
    {
        return format!("in {states}; {expected:.3} omissions expected");
    }
    match (outcome.exhaustive, outcome.errors) {
        (true, _) => format!("in every reachable state, {states}"),
        (false, 0) => format!("in {states}, not all reachable states"),
        (false, _) => "until the first error; --all-errors continues".into(),
    }
}

/// The ledger as lines of text.
pub fn render(ledger: &Ledger) -> Vec<String> {
    let mut checked = format!("checked: {}", ledger.checked.join(", "));
    if !ledger.coverage.is_empty() {
        checked += &format!(" — {}", ledger.coverage);
    }
    let unchecked = |each: &Unchecked| format!("{} ({})", each.what, each.how);
    let not_checked: Vec<String> = ledger.not_checked.iter().map(unchecked).collect();
    let mut lines = vec![checked];
    if !not_checked.is_empty() {
        lines.push(format!("not checked: {}", not_checked.join(", ")));
    }
    lines
}

/// The number of assertion statements.
fn count_assertions(program: &Program) -> usize {
    fn is_assertion(operation: &Operation) -> bool {
        match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().any(|action| matches!(action, Action::Assert { .. }))
            }
            Operation::Deterministic(body) => {
                body.nodes.iter().flatten().any(|branch| match &branch.kind {
                    BranchKind::Operation(inner) => is_assertion(inner),
                    _ => false,
                })
            }
            _ => false,
        }
    }
    let transitions = program
        .process_types
        .iter()
        .flat_map(|kind| &kind.locations)
        .flat_map(|place| &place.transitions);
    let mut origins: Vec<_> =
        transitions.filter(|each| is_assertion(&each.operation)).map(|each| each.origin).collect();
    origins.sort_unstable();
    origins.dedup();
    origins.len()
}
