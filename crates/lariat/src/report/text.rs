//! The report as text: one line per property, then the counterexamples, then the ledger.

use super::{Report, counterexample, ledger, printable, properties, width};
use crate::check::safety::TooLong;
use crate::check::{SafetyResult, Unreached};
use crate::explain;
use lariat_ir::{Program, State};
use lariat_search::{Guarantee, MAX_VIOLATIONS, Statistics, Verdict};
use std::fmt::Write;
use std::time::Duration;

/// How much a report contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The verdicts alone.
    Verdicts,
    /// The verdicts, the counterexamples and the ledger.
    Full,
}

/// Colours and line width.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Use terminal escapes.
    pub color: bool,
    /// Longer lines are broken; `None` does not limit the width.
    pub width: Option<usize>,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Bold.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// For verdicts that hold.
    pub fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    /// For violations.
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// For inconclusive verdicts and warnings.
    pub fn unsure(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// For less important text.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// The text with lines broken to the width.
    pub fn fitted(self, text: String) -> String {
        self.width.map_or_else(|| text.clone(), |width| width::fitted(&text, width))
    }
}

/// The report.
pub fn render(report: &Report<'_>, style: Style, detail: Detail) -> String {
    let mut out = report.safety.as_ref().map_or_else(String::new, |safety| verdict(safety, style));
    for result in &report.properties {
        out += &properties::verdict(result, style, detail);
    }
    if detail == Detail::Verdicts {
        return style.fitted(out);
    }
    if let Some(result) = &report.safety {
        out += &safety(report.program(), result, style);
    }
    for result in &report.properties {
        out += &properties::details(result, style);
    }
    out += "\n";
    for line in ledger::render(&ledger::ledger(report)) {
        let _ = writeln!(out, "{}", style.faint(&printable(&line)));
    }
    style.fitted(out)
}

/// The result of the search for errors, except the verdict.
fn safety(program: &Program, result: &SafetyResult, style: Style) -> String {
    let mut out = String::new();
    let outcome = &result.outcome;
    let _ = writeln!(out, "  {}", style.faint(&figures(&outcome.statistics, true)));
    if let Some(revisits) = outcome.statistics.forgotten() {
        let _ = writeln!(
            out,
            "  {} insertions into the cache, {} of them replaced another state: replaced states \
             may have been visited again",
            grouped(revisits.insertions),
            grouped(revisits.replaced)
        );
    }
    if let Some(first) = result.counterexamples.first() {
        out += "\n";
        out += &counterexample::render(first, style);
        out += &other_errors(result, style);
    }
    if let (true, Some(found)) = (result.counterexamples.is_empty(), result.too_long.first()) {
        let _ = writeln!(out, "\n  {}", too_long(found));
    }
    if outcome.endless_atomic {
        let _ = writeln!(out, "\n{} an atomic sequence can run forever", style.unsure("warning:"));
    }
    out += &unreached_text(program, &result.unreached, style);
    out
}

/// Why a confirmed run to an error is not shown.
fn too_long(found: &TooLong) -> String {
    format!(
        "the run to the error has {} steps, more than the memory limit can hold: increase --memory, \
         or search for a shortest run (--search bfs)",
        grouped(found.steps as u64)
    )
}

/// The first error that was found, if it is known.
fn first_error(result: &SafetyResult) -> Option<String> {
    let shown = result.counterexamples.iter().filter_map(|found| found.error());
    let too_long = result.too_long.iter().map(|found| &found.error);
    let first = shown.chain(too_long).chain(&result.outcome.unshown).next();
    first
        .map(ToString::to_string)
        .or_else(|| result.outcome.error_kinds.first().map(ToString::to_string))
}

/// The line with the verdict of the search for errors, and lines that qualify it.
fn verdict(result: &SafetyResult, style: Style) -> String {
    let outcome = &result.outcome;
    let mut out = match outcome.verdict() {
        Verdict::Holds => format!("safety: {}\n", style.good("holds")),
        Verdict::Violated => {
            let error = first_error(result).unwrap_or_default();
            format!("safety: {}  {}\n", style.bad("VIOLATED"), printable(&error))
        }
        Verdict::Inconclusive => format!("safety: {}\n", style.unsure("inconclusive")),
    };
    if let Guarantee::Omissions { expected } = outcome.guarantee {
        let _ = writeln!(out, "  states may have been omitted: {expected:.3} expected");
    }
    if let Some(states) = outcome.statistics.compressed {
        let _ = writeln!(
            out,
            "  to save memory, states were compressed from state {} on",
            grouped(states)
        );
    }
    if let Some(limit) = outcome.limit {
        let phase = outcome.phase.map(|phase| format!(" {phase}")).unwrap_or_default();
        let _ = writeln!(out, "  the search was not exhaustive: {limit}{phase}");
    }
    if !outcome.unshown.is_empty() {
        let _ = writeln!(out, "  {UNSHOWN}");
    }
    out
}

/// Why the verdict is not "holds": the first error, or the limit that was reached.
pub(super) fn reason(result: &SafetyResult) -> Option<String> {
    if let Some(first) = result.counterexamples.first() {
        return first.error().map(ToString::to_string);
    }
    let outcome = &result.outcome;
    match (first_error(result), outcome.limit, outcome.phase) {
        (Some(error), ..) => match result.too_long.first() {
            Some(found) => Some(format!("{error}; {}", too_long(found))),
            None => Some(format!("{error}; {UNSHOWN}")),
        },
        (None, Some(limit), Some(phase)) => Some(format!("{limit} {phase}")),
        (None, limit, _) => limit.map(|limit| limit.to_string()),
    }
}

/// An error was found just before a limit was reached.
pub(super) const UNSHOWN: &str =
    "the run to the error was not reconstructed within the limit: increase --time or --memory";

/// The size and the cost of a search. Not every search has a depth.
pub(super) fn figures(statistics: &Statistics, has_depth: bool) -> String {
    let mut text = format!(
        "{}, {} transitions, ",
        counted_states(statistics),
        grouped(statistics.transitions)
    );
    if statistics.atomic_steps > 0 {
        text += &format!("{} atomic steps, ", grouped(statistics.atomic_steps));
    }
    if has_depth {
        text += &format!("depth {}, ", grouped(statistics.depth));
    }
    text + &format!("{}, {}", seconds(statistics.time), megabytes(statistics.memory_bytes))
}

/// `1 state`, `1,000 states`; `about 990 states` if states were replaced, because the number is
/// then an estimate.
pub(super) fn counted_states(statistics: &Statistics) -> String {
    let states = statistics.different_states();
    let about = if statistics.forgotten().is_some() { "about " } else { "" };
    format!("{about}{} state{}", grouped(states), if states == 1 { "" } else { "s" })
}

fn megabytes(bytes: u64) -> String {
    match bytes as f64 / 1e6 {
        many if many >= 10_000.0 => format!("{:.1} GB", many / 1e3),
        few => format!("{few:.1} MB"),
    }
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 0.01 => format!("{:.1} ms", short * 1e3),
        long if long < 100.0 => format!("{long:.2} s"),
        longer => format!("{longer:.0} s"),
    }
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Why no process can move.
pub fn blocked(program: &Program, state: &State) -> String {
    explain::render(&explain::deadlock(program, state))
}

fn other_errors(result: &SafetyResult, style: Style) -> String {
    let outcome = &result.outcome;
    let mut out = String::new();
    // The count of a search that stops at the first error depends on the timing of its threads.
    let different = result.counterexamples.len();
    if outcome.errors > 1 && (outcome.exhaustive || different > 1) {
        let times = grouped(outcome.errors);
        if different == 1 {
            let _ = writeln!(
                out,
                "\nThis error occurs {times} times, in different states; one run is shown."
            );
            return out;
        }
        let title = match different {
            MAX_VIOLATIONS => {
                format!("The first {different} different errors; {times} occurrences in all:")
            }
            _ => format!("{different} different errors, {times} occurrences in all:"),
        };
        let _ = writeln!(out, "\n{}", style.bold(&title));
        for found in &result.counterexamples {
            let steps = lariat_promela::diagnostic::count(found.prefix.len(), "step");
            let error = found.error().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "  {}  ({steps})", printable(&error));
        }
    }
    out
}

fn unreached_text(program: &Program, unreached: &[Unreached], style: Style) -> String {
    let mut out = String::new();
    // Most processes loop forever: their unreached ends are listed in one line.
    let mut endless = Vec::new();
    for process_type in &program.process_types {
        let of_type: Vec<&Unreached> = unreached
            .iter()
            .filter(|statement| statement.process_type == process_type.name)
            .collect();
        match of_type[..] {
            [] => continue,
            [only] if only.statement == "end" => {
                endless.push(printable(&process_type.name));
                continue;
            }
            _ => {}
        }
        let _ = writeln!(
            out,
            "\n{}",
            style.bold(&format!("never executed in {}:", printable(&process_type.name)))
        );
        for Unreached { file, line, statement, never_executable, .. } in of_type {
            let place = style.faint(&format!("{}:{line}", printable(file)));
            let note = if *never_executable { "  (reached, but never executable)" } else { "" };
            let _ = writeln!(out, "  {place}  {}{note}", printable(statement));
        }
    }
    if !endless.is_empty() {
        let words = if endless.len() == 1 { "never ends:" } else { "never end:" };
        let _ = writeln!(out, "\n{} {}", style.bold(words), endless.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_digits() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }
}
