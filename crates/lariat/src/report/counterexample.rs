//! Counterexamples as text: a table of steps, the start of the cycle, and why nothing moves.

use super::columns::{rows, table};
use super::printable;
use super::text::{Style, blocked};
use crate::run::steps::{ShownStep, show_run, show_step};
use crate::run::{Counterexample, Evidence};
use lariat_ir::RuntimeError;
use lariat_promela::diagnostic::count;
use std::fmt::Write;

/// The run as text.
pub fn render(found: &Counterexample, style: Style) -> String {
    match &found.shows {
        Evidence::Error(error) => run_to_error(found, error, style),
        Evidence::NoValue(_) => {
            let steps = show_run(&found.program, &found.prefix, &found.states);
            let title = style.bold("The run that leads there:");
            format!("{title}\n{}", table(&steps, style))
        }
        Evidence::Violation(None) => {
            infinite_run(found, "whatever follows, the property is violated", style)
        }
        Evidence::Violation(Some(failed)) => infinite_run(found, &printable(failed), style),
        Evidence::StateFormula { holds: true } => {
            infinite_run(found, "this state shows that the formula holds", style)
        }
        Evidence::StateFormula { holds: false } => {
            infinite_run(found, "this state shows that the formula does not hold", style)
        }
    }
}

fn run_to_error(found: &Counterexample, error: &RuntimeError, style: Style) -> String {
    let steps = show_run(&found.program, &found.prefix, &found.states);
    let mut out = String::new();
    if steps.is_empty() {
        let _ = writeln!(out, "{}", style.bold("The initial state shows it:"));
    } else {
        let title = format!("The run that shows it, {}:", count(steps.len(), "step"));
        let _ = writeln!(out, "{}", style.bold(&title));
        out += &table(&steps, style);
    }
    let _ = writeln!(out, "  {}", style.bad(&printable(&error.to_string())));
    if *error == RuntimeError::InvalidEndState
        && let Some(end) = found.states.last()
    {
        out += &blocked(&found.program, end);
    }
    out
}

/// A run with the values of conditions and a cycle; `ending` follows a run without a cycle.
fn infinite_run(lasso: &Counterexample, ending: &str, style: Style) -> String {
    let mut out = String::new();
    let steps = shown(lasso);
    let before = steps.iter().filter(|(index, _)| *index < lasso.prefix.len()).count();
    let count = |number| count(number, "step");
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
        let _ = writeln!(
            out,
            "  {}",
            style.bold("nothing can move any more: the run stays here forever")
        );
        if let Some(state) = lasso.states.last() {
            out += &blocked(&lasso.program, state);
        }
    } else {
        let _ = writeln!(out, "  {}", style.bold("and again from where the cycle starts, forever"));
        if lasso.differs {
            let _ = writeln!(out, "  variables that are never read differ from round to round");
        }
    }
    out
}

/// The steps in which a process moves, each with its index among all steps.
pub(super) fn shown(lasso: &Counterexample) -> Vec<(usize, ShownStep)> {
    let steps = lasso.prefix.iter().chain(&lasso.cycle).enumerate();
    let each = steps.filter_map(|(index, step)| {
        let shown =
            show_step(&lasso.program, step, lasso.states.get(index)?, lasso.states.get(index + 1))?;
        Some((index, shown))
    });
    each.collect()
}

fn values(lasso: &Counterexample, list: impl Iterator<Item = (usize, bool)>) -> String {
    let each: Vec<String> =
        list.map(|(atom, value)| format!("{}: {value}", printable(&lasso.atoms[atom]))).collect();
    each.join(", ")
}

fn initially(lasso: &Counterexample) -> String {
    let first = lasso.values.iter().flatten().next();
    values(lasso, first.into_iter().flatten().copied().enumerate())
}

/// The conditions whose values after the step differ from the last observed values.
fn changed(lasso: &Counterexample, step: usize) -> String {
    let Some(Some(now)) = lasso.values.get(step + 1) else { return String::new() };
    let before = lasso.values[..=step].iter().rev().flatten().next();
    let Some(before) = before else { return String::new() };
    values(lasso, now.iter().copied().enumerate().filter(|(atom, value)| before[*atom] != *value))
}
