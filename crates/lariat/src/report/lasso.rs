//! What was found about properties of infinite runs, as text.

use super::columns::{rows, table};
use super::printable;
use super::text::{Style, UNSHOWN, blocked, figures, grouped};
use crate::property::{Checked, Lasso};
use crate::run::{ShownStep, show_step};
use model::Program;
use search::Verdict;
use search::product::{Answer, PacketFigures};
use std::fmt::Write;

/// The line with the verdict, and what qualifies it.
pub fn verdict(checked: &Checked, style: Style, quiet: bool) -> String {
    let name = printable(&checked.name);
    let notion = checked.fairness.map(|fairness| format!("{} fairness", fairness.name()));
    let assumed: Vec<String> = notion
        .into_iter()
        .chain(checked.assumed.iter().map(|each| printable(each.name()).to_string()))
        .collect();
    let under = if assumed.is_empty() { String::new() } else { format!(" (under {})", assumed.join(", ")) };
    let head = format!("{} {name}{under}", checked.kind);
    let mut out = match checked.verdict {
        Verdict::Holds => format!("{head}: {}\n", style.good("holds")),
        Verdict::Violated => match &checked.answer.failure {
            Some(failure) => {
                let error = printable(&failure.error.to_string());
                format!("{head}: {}  a condition has no value: {error}\n", style.bad("VIOLATED"))
            }
            None => match checked.lasso.as_ref().and_then(|lasso| lasso.reported.as_ref()) {
                Some(reported) => format!("{head}: {}  {}\n", style.bad("VIOLATED"), printable(reported)),
                None => format!("{head}: {}\n", style.bad("VIOLATED")),
            },
        },
        Verdict::Inconclusive => format!("{head}: {}\n", style.unsure("inconclusive")),
    };
    if let Some(reason) = &checked.unsuitable {
        let _ = writeln!(out, "  {}", printable(&reason.to_string()));
    }
    if let Some(remedy) = checked.remedy.filter(|_| !quiet) {
        let _ = writeln!(out, "  {remedy}");
    }
    if let Some(limit) = checked.answer.unshown {
        let _ = writeln!(out, "  {limit}");
        let _ = writeln!(out, "  {UNSHOWN}");
    }
    if let Some(limit) = checked.answer.limit.filter(|_| checked.answer.unshown.is_none()) {
        let _ = writeln!(out, "  not everything was visited: {limit}");
    }
    if checked.verdict == Verdict::Inconclusive && checked.answer.may_omit {
        let _ = writeln!(out, "  states may have been omitted");
    }
    for label in &checked.unseen {
        let _ = writeln!(out, "  {} {}", style.unsure("warning:"), printable(&label.to_string()));
    }
    out
}

/// Why there may be a shorter run than the one shown, if a shortest one was asked for.
pub fn unproven(checked: &Checked) -> Option<String> {
    checked.answer.unproven.map(|reason| format!("not proven to be shortest: {reason}"))
}

/// Everything but the verdict: how it was searched, and the run that shows a violation.
pub fn details(program: &Program, checked: &Checked, style: Style) -> String {
    let mut out = String::new();
    let name = printable(&checked.name);
    let _ = writeln!(out, "\n{}", style.bold(&format!("{} {name}", checked.kind)));
    let states = promela::diagnostic::count(checked.automaton_states, "state");
    let mut how = format!("search: {} ({})", checked.search, checked.because);
    if checked.kind != "ctl" {
        let _ = write!(how, "; automaton: {states}");
    }
    let _ = writeln!(out, "  {}", style.faint(&how));
    if checked.store_unused {
        let _ = writeln!(out, "  --store is not used: this search for cycles has a table of its own");
    }
    let statistics = &checked.answer.statistics;
    if statistics.states > 0 {
        let _ = writeln!(out, "  {}", style.faint(&figures(statistics, statistics.depth > 0)));
    }
    if let Some(storage) = hybrid(&checked.answer) {
        let _ = writeln!(out, "  {}", style.faint(&storage));
    }
    if !checked.answer.met.is_empty() {
        let kinds: Vec<&str> = checked.answer.met.iter().map(|error| error.kind()).collect();
        let note = format!("errors of the program were met on the way: {}", kinds.join(", "));
        let _ = writeln!(out, "  {note}; `--property safety` shows them");
    }
    if checked.answer.endless_atomic {
        let _ = writeln!(out, "  {} an atomic sequence can run forever", style.unsure("warning:"));
    }
    if let Some(reason) = unproven(checked) {
        let _ = writeln!(out, "  {} the run below is {reason}", style.unsure("warning:"));
    }
    if let Some(lasso) = &checked.lasso {
        let ending = match (checked.kind, checked.verdict, &lasso.reported) {
            ("ctl", Verdict::Holds, _) => "this state shows that the formula holds",
            ("ctl", ..) => "this state shows that the formula does not hold",
            (_, _, Some(reported)) => &printable(reported),
            _ => "whatever follows, the property is violated",
        };
        out += &infinite_run(program, lasso, ending, style);
    }
    if let Some(failure) = &checked.failure {
        let steps = crate::run::show_run(program, &failure.violation.run.steps, &failure.states);
        let _ = writeln!(out, "{}", style.bold("The run that leads there:"));
        out += &table(&steps, style);
    }
    out
}

/// How the states of the product were stored, if in packets.
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

/// The run with its cycle; `ending` is said of one that has none.
pub fn infinite_run(program: &Program, lasso: &Lasso, ending: &str, style: Style) -> String {
    let mut out = String::new();
    let steps = shown(program, lasso);
    let before = steps.iter().filter(|(index, _)| *index < lasso.prefix.len()).count();
    let count = |number| promela::diagnostic::count(number, "step");
    let title = match (lasso.cycle.is_empty(), steps.len() - before) {
        (true, _) if before == 0 => "The initial state shows it:".to_string(),
        (true, _) => format!("The run that shows it, {}:", count(before)),
        (false, 0) => format!("The run that shows it, {}, then nothing moves:", count(before)),
        (false, round) => {
            format!("The run that shows it, {}, then a cycle of {}:", count(before), count(round))
        }
    };
    let _ = writeln!(out, "{}", style.bold(&title));
    if !lasso.atoms.is_empty() {
        let _ = writeln!(out, "     {}", style.faint(&initially(lasso)));
    }
    let shown: Vec<ShownStep> = steps.iter().map(|(_, step)| step.clone()).collect();
    for (number, ((index, _), row)) in steps.iter().zip(rows(&shown, style)).enumerate() {
        if number == before && !lasso.cycle.is_empty() {
            let _ = writeln!(out, "  {}", style.bold("the cycle starts here:"));
        }
        out += &row;
        let changed = changed(lasso, *index);
        if !changed.is_empty() {
            let _ = writeln!(out, "     {}", style.faint(&changed));
        }
    }
    if lasso.cycle.is_empty() {
        let _ = writeln!(out, "  {}", style.bold(ending));
    } else if steps.len() == before {
        let _ = writeln!(out, "  {}", style.bold("nothing can move any more: the run stays here forever"));
        if let Some(state) = lasso.states.last() {
            out += &blocked(program, state);
        }
    } else {
        let _ = writeln!(out, "  {}", style.bold("and again from where the cycle starts, forever"));
        if lasso.differs {
            let _ = writeln!(out, "  variables that nobody reads differ from round to round");
        }
    }
    out
}

/// The steps that somebody makes, each with its number among all steps.
pub(super) fn shown(program: &Program, lasso: &Lasso) -> Vec<(usize, ShownStep)> {
    let steps = lasso.prefix.iter().chain(&lasso.cycle).enumerate();
    let each = steps.filter_map(|(index, step)| {
        let shown = show_step(program, step, &lasso.states[index], lasso.states.get(index + 1))?;
        Some((index, shown))
    });
    each.collect()
}

fn values(lasso: &Lasso, list: impl Iterator<Item = (usize, bool)>) -> String {
    let each: Vec<String> =
        list.map(|(atom, value)| format!("{}: {value}", printable(&lasso.atoms[atom]))).collect();
    each.join(", ")
}

fn initially(lasso: &Lasso) -> String {
    let first = lasso.values.iter().flatten().next();
    values(lasso, first.into_iter().flatten().copied().enumerate())
}

/// The conditions whose value is another after the step than when the property looked last.
fn changed(lasso: &Lasso, step: usize) -> String {
    let Some(Some(now)) = lasso.values.get(step + 1) else { return String::new() };
    let before = lasso.values[..=step].iter().rev().flatten().next();
    let Some(before) = before else { return String::new() };
    values(lasso, now.iter().copied().enumerate().filter(|(atom, value)| before[*atom] != *value))
}
