//! The results for properties of infinite runs, as text.

use super::text::{Detail, Style, UNSHOWN, figures, grouped};
use super::{counterexample, printable};
use crate::check::PropertyResult;
use crate::property::Property;
use crate::run::Evidence;
use lariat_search::Verdict;
use lariat_search::product::{Answer, PacketFigures};
use std::fmt::Write;

/// The line with the verdict, and lines that qualify it.
pub fn verdict(result: &PropertyResult, style: Style, detail: Detail) -> String {
    let name = printable(&result.name);
    let notion = result.fairness.map(|fairness| format!("{} fairness", fairness.name()));
    let assumed: Vec<String> = notion
        .into_iter()
        .chain(result.assumed.iter().map(Property::name).map(|name| printable(name).to_string()))
        .collect();
    let under =
        if assumed.is_empty() { String::new() } else { format!(" (under {})", assumed.join(", ")) };
    let head = format!("{} {name}{under}", result.kind);
    let mut out = match result.verdict {
        Verdict::Holds => format!("{head}: {}\n", style.good("holds")),
        Verdict::Violated => {
            let why = match result.counterexample.as_ref().map(|found| &found.shows) {
                Some(Evidence::NoValue(error)) => {
                    format!("  a condition has no value: {}", printable(&error.to_string()))
                }
                Some(Evidence::Violation(Some(failed))) => format!("  {}", printable(failed)),
                _ => String::new(),
            };
            format!("{head}: {}{why}\n", style.bad("VIOLATED"))
        }
        Verdict::Inconclusive => format!("{head}: {}\n", style.unsure("inconclusive")),
    };
    if let Some(reason) = &result.unsuitable {
        let _ = writeln!(out, "  {}", printable(&reason.to_string()));
    }
    if let Some(remedy) = result.remedy.filter(|_| detail == Detail::Full) {
        let _ = writeln!(out, "  {remedy}");
    }
    if let Some(limit) = result.answer.unshown {
        let _ = writeln!(out, "  {limit}");
        let _ = writeln!(out, "  {UNSHOWN}");
    }
    if let Some(limit) = result.answer.limit.filter(|_| result.answer.unshown.is_none()) {
        let _ = writeln!(out, "  the search was not exhaustive: {limit}");
    }
    if result.verdict == Verdict::Inconclusive && result.answer.may_omit {
        let _ = writeln!(out, "  states may have been omitted");
    }
    for label in &result.unseen {
        let _ = writeln!(out, "  {} {}", style.unsure("warning:"), printable(&label.to_string()));
    }
    out
}

/// Why the counterexample is not proven to be shortest, if a shortest one was requested.
pub fn unproven(result: &PropertyResult) -> Option<String> {
    result.answer.unproven.map(|reason| format!("not proven to be shortest: {reason}"))
}

/// Everything but the verdict: the search that was used, and the counterexample.
pub fn details(result: &PropertyResult, style: Style) -> String {
    let mut out = String::new();
    let name = printable(&result.name);
    let _ = writeln!(out, "\n{}", style.bold(&format!("{} {name}", result.kind)));
    let states = lariat_promela::diagnostic::count(result.automaton_states, "state");
    let mut how = format!("search: {} ({})", result.search, result.because);
    if result.kind != "ctl" {
        let _ = write!(how, "; automaton: {states}");
    }
    let _ = writeln!(out, "  {}", style.faint(&how));
    if result.store_unused {
        let _ = writeln!(out, "  --store is not used: this cycle search has its own table");
    }
    let statistics = &result.answer.statistics;
    if statistics.states > 0 {
        let _ = writeln!(out, "  {}", style.faint(&figures(statistics, statistics.depth > 0)));
    }
    if let Some(storage) = hybrid(&result.answer) {
        let _ = writeln!(out, "  {}", style.faint(&storage));
    }
    if !result.answer.program_errors.is_empty() {
        let kinds: Vec<&str> =
            result.answer.program_errors.iter().map(|error| error.kind()).collect();
        let note = format!("the program has errors: {}", kinds.join(", "));
        let _ = writeln!(out, "  {note}; `--property safety` shows them");
    }
    if result.answer.endless_atomic {
        let _ = writeln!(out, "  {} an atomic sequence can run forever", style.unsure("warning:"));
    }
    if let Some(reason) = unproven(result) {
        let _ = writeln!(out, "  {} the run below is {reason}", style.unsure("warning:"));
    }
    if let Some(found) = &result.counterexample {
        out += &counterexample::render(found, style);
    }
    out
}

/// The hybrid storage of the product, if it was used.
fn hybrid(answer: &Answer) -> Option<String> {
    let PacketFigures { tail, packets, tails, nodes } = answer.packets?;
    Some(format!(
        "hybrid storage, tail {}: {} for {}, each with {}; {:.1} bytes a node",
        tail.name(),
        counted(packets, "packet"),
        counted(nodes, "node"),
        counted(tails, "tail"),
        answer.statistics.store_bytes as f64 / nodes.max(1) as f64,
    ))
}

fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}
