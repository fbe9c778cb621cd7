//! The ledger: what was checked and how exhaustively, and what was not, with the flag that would.

use super::Report;
use super::text::counted_states;
use model::program::{Action, BranchKind, Operation, Program};
use search::Guarantee;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// What was looked for.
    pub checked: Vec<String>,
    /// In how much of what can be reached.
    pub coverage: String,
    pub not_checked: Vec<Unasked>,
}

/// Something nobody looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unasked {
    pub what: String,
    /// How to ask for it, or why it cannot be asked.
    pub how: String,
}

pub fn ledger(report: &Report<'_>) -> Ledger {
    let program = report.program;
    let mut ledger = Ledger { coverage: coverage(report), ..Ledger::default() };
    let assertions = count_assertions(program);
    if assertions > 0 {
        ledger.checked.push(promela::diagnostic::count(assertions, "assertion"));
    }
    if !program.invariants.is_empty() {
        ledger.checked.push(promela::diagnostic::count(program.invariants.len(), "invariant"));
    }
    if let Some(trace) = &program.event_trace {
        ledger.checked.push(if trace.negated { "the notrace" } else { "the event trace" }.into());
    }
    ledger.checked.push("deadlocks".into());
    ledger.checked.push("run-time errors".into());
    if !report.safety {
        ledger = Ledger::default();
        let (what, how) = ("errors".into(), "not asked, --property safety".into());
        ledger.not_checked.push(Unasked { what, how });
    }
    let decided = report.liveness.iter().filter(|checked| checked.verdict != search::Verdict::Inconclusive);
    ledger.checked.extend(decided.map(|checked| format!("{} {}", checked.kind, checked.name)));
    for property in report.unchecked() {
        ledger.not_checked.push(Unasked {
            what: format!("{} {}", property.kind, property.name),
            how: format!("not asked, --property {}", property.name),
        });
    }
    let asked = report.liveness.iter().any(|checked| checked.kind == "progress");
    let progress = |kind: &model::program::ProcessType| kind.locations.iter().any(|place| place.progress);
    if program.process_types.iter().any(progress) && !asked {
        let (what, how) = ("non-progress cycles".into(), "not asked, --non-progress".into());
        ledger.not_checked.push(Unasked { what, how });
    }
    if program.channel_types.iter().any(|kind| kind.capacity > 0) {
        ledger.not_checked.push(Unasked {
            what: "channels that would grow forever".into(),
            how: "not asked, --unbounded".into(),
        });
    }
    ledger
}

fn coverage(report: &Report<'_>) -> String {
    let outcome = &report.checked.outcome;
    let states =
        counted_states(&outcome.statistics) + if report.checked.reduced { " after reductions" } else { "" };
    if let Some(limit) = outcome.limit {
        return format!("in {states}, not all that are reachable: {limit}");
    }
    if let Guarantee::Omissions { expected } = outcome.guarantee
        && outcome.errors == 0
    {
        return format!("in {states}; {expected:.3} are expected to be missing");
    }
    match (outcome.exhaustive, outcome.errors) {
        (true, _) => format!("in every reachable state, {states}"),
        (false, 0) => format!("in {states}, not all that are reachable"),
        (false, _) => "until the first error; --all-errors goes on".into(),
    }
}

/// The ledger as lines of text.
pub fn render(ledger: &Ledger) -> Vec<String> {
    let mut checked = format!("checked: {}", ledger.checked.join(", "));
    if !ledger.coverage.is_empty() {
        checked += &format!(" — {}", ledger.coverage);
    }
    let unasked = |each: &Unasked| format!("{} ({})", each.what, each.how);
    let not_checked: Vec<String> = ledger.not_checked.iter().map(unasked).collect();
    let mut lines = vec![checked];
    if !not_checked.is_empty() {
        lines.push(format!("not checked: {}", not_checked.join(", ")));
    }
    lines
}

/// How many statements of the program are assertions.
fn count_assertions(program: &Program) -> usize {
    fn is_assertion(operation: &Operation) -> bool {
        match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().any(|action| matches!(action, Action::Assert { .. }))
            }
            Operation::Deterministic(body) => body
                .nodes
                .iter()
                .flatten()
                .any(|branch| matches!(&branch.kind, BranchKind::Operation(inner) if is_assertion(inner))),
            _ => false,
        }
    }
    let transitions =
        program.process_types.iter().flat_map(|kind| &kind.locations).flat_map(|place| &place.transitions);
    let mut origins: Vec<_> =
        transitions.filter(|each| is_assertion(&each.operation)).map(|each| each.origin).collect();
    origins.sort_unstable();
    origins.dedup();
    origins.len()
}
