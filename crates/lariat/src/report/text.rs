//! The report for people: one line per property, then the run that shows what is wrong, then what else
//! is worth knowing.

use super::columns::table;
use super::{Report, lasso, ledger, printable, width};
use crate::check::{Counterexample, TooLong};
use crate::explain;
use crate::run::show_run;
use crate::unreached::Unreached;
use model::{Program, RuntimeError, State};
use search::{Guarantee, MAX_VIOLATIONS, Statistics, Verdict};
use std::fmt::Write;
use std::time::Duration;

/// How text looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    pub color: bool,
    /// Longer lines are broken; nothing if lines may have any length.
    pub width: Option<usize>,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub fn unsure(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// The text, its lines no longer than they may be.
    pub fn fitted(self, text: String) -> String {
        self.width.map_or_else(|| text.clone(), |width| width::fitted(&text, width))
    }
}

/// The whole report; `quiet` leaves the verdicts.
pub fn render(report: &Report<'_>, style: Style, quiet: bool) -> String {
    let mut out = if report.safety { verdicts(report, style) } else { String::new() };
    for checked in report.liveness {
        out += &lasso::verdict(checked, style, quiet);
    }
    if quiet {
        return style.fitted(out);
    }
    if report.safety {
        out += &safety(report, style);
    }
    for checked in report.liveness {
        out += &lasso::details(report.program, checked, style);
    }
    out += "\n";
    for line in ledger::render(&ledger::ledger(report)) {
        let _ = writeln!(out, "{}", style.faint(&printable(&line)));
    }
    style.fitted(out)
}

/// What was found in looking for errors.
fn safety(report: &Report<'_>, style: Style) -> String {
    let mut out = String::new();
    let outcome = &report.checked.outcome;
    let _ = writeln!(out, "  {}", style.faint(&figures(&outcome.statistics, true)));
    if let Some(revisits) = outcome.statistics.forgotten() {
        let _ = writeln!(
            out,
            "  {} insertions into the cache, {} of them in place of another state: states that were replaced \
             may have been visited again",
            grouped(revisits.insertions),
            grouped(revisits.replaced)
        );
    }
    if let Some(first) = report.checked.counterexamples.first() {
        out += "\n";
        out += &counterexample(report.program, first, style);
        out += &other_errors(report, style);
    }
    if let (true, Some(found)) = (report.checked.counterexamples.is_empty(), report.checked.too_long.first())
    {
        let _ = writeln!(out, "\n  {}", too_long(found));
    }
    if outcome.endless_atomic {
        let _ = writeln!(out, "\n{} an atomic sequence can run forever", style.unsure("warning:"));
    }
    out += &unreached_text(report.program, &report.checked.unreached, style);
    out
}

/// Why the run to an error is not shown though it is known.
fn too_long(found: &TooLong) -> String {
    format!(
        "the run to it, {} steps, takes more memory to show than the limit allows: give more --memory, \
         or look for a shortest run (--search bfs)",
        grouped(found.steps as u64)
    )
}

/// The first error that was found, if it is known which.
pub(super) fn first_error(report: &Report<'_>) -> Option<String> {
    let shown = report.checked.counterexamples.iter().map(|found| &found.violation.error);
    let too_long = report.checked.too_long.iter().map(|found| &found.error);
    let first = shown.chain(too_long).chain(&report.checked.outcome.unshown).next().map(ToString::to_string);
    first.or_else(|| report.checked.outcome.error_kinds.first().map(ToString::to_string))
}

/// One line per property.
fn verdicts(report: &Report<'_>, style: Style) -> String {
    let outcome = &report.checked.outcome;
    let mut out = match outcome.verdict() {
        Verdict::Holds => format!("safety: {}\n", style.good("holds")),
        Verdict::Violated => {
            let what = first_error(report);
            format!("safety: {}  {}\n", style.bad("VIOLATED"), printable(&what.unwrap_or_default()))
        }
        Verdict::Inconclusive => format!("safety: {}\n", style.unsure("inconclusive")),
    };
    if let Guarantee::Omissions { expected } = outcome.guarantee {
        let _ = writeln!(out, "  states may have been omitted: {expected:.3} are expected to be");
    }
    if let Some(states) = outcome.statistics.compressed {
        let _ = writeln!(out, "  memory grew short: from {} states on they were compressed", grouped(states));
    }
    if let Some(limit) = outcome.limit {
        let phase = outcome.phase.map(|phase| format!(" {phase}")).unwrap_or_default();
        let _ = writeln!(out, "  not everything was visited: {limit}{phase}");
    }
    if !outcome.unshown.is_empty() {
        let _ = writeln!(out, "  {UNSHOWN}");
    }
    out
}

/// Why there is no run to show: an error whose run cannot be shown, or the limit that was reached, and when.
pub(super) fn without_run(report: &Report<'_>) -> Option<String> {
    let outcome = &report.checked.outcome;
    match (first_error(report), outcome.limit, outcome.phase) {
        (Some(error), ..) => match report.checked.too_long.first() {
            Some(found) => Some(format!("{error}; {}", too_long(found))),
            None => Some(format!("{error}; {UNSHOWN}")),
        },
        (None, Some(limit), Some(phase)) => Some(format!("{limit} {phase}")),
        (None, limit, _) => limit.map(|limit| limit.to_string()),
    }
}

/// What became of the run to an error that was found just before a limit.
pub(super) const UNSHOWN: &str = "the run that leads to the error was not reconstructed within the limit: more --time or --memory shows it";

/// What the search took. Not every search has a depth.
pub(super) fn figures(statistics: &Statistics, has_depth: bool) -> String {
    let mut text =
        format!("{}, {} transitions, ", counted_states(statistics), grouped(statistics.transitions));
    if statistics.atomic_steps > 0 {
        text += &format!("{} atomic steps, ", grouped(statistics.atomic_steps));
    }
    if has_depth {
        text += &format!("depth {}, ", grouped(statistics.depth));
    }
    text + &format!("{}, {}", seconds(statistics.time), megabytes(statistics.memory_bytes))
}

/// `1 state`, `1,000 states`; `about 990 states` if some were forgotten, so that the number is an estimate.
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

fn counterexample(program: &Program, found: &Counterexample, style: Style) -> String {
    let steps = show_run(program, &found.violation.run.steps, &found.states);
    let mut out = String::new();
    if steps.is_empty() {
        let _ = writeln!(out, "{}", style.bold("The initial state shows it:"));
    } else {
        let count = promela::diagnostic::count(steps.len(), "step");
        let _ = writeln!(out, "{}", style.bold(&format!("The run that shows it, {count}:")));
        out += &table(&steps, style);
    }
    let _ = writeln!(out, "  {}", style.bad(&printable(&found.violation.error.to_string())));
    if found.violation.error == RuntimeError::InvalidEndState
        && let Some(end) = found.states.last()
    {
        out += &blocked(program, end);
    }
    out
}

/// Where each process stands when nothing can move, and why.
pub fn blocked(program: &Program, state: &State) -> String {
    explain::render(&explain::deadlock(program, state))
}

fn other_errors(report: &Report<'_>, style: Style) -> String {
    let outcome = &report.checked.outcome;
    let mut out = String::new();
    // A search that stops at the first error may have met it several times, which says nothing.
    let different = report.checked.counterexamples.len();
    if outcome.errors > 1 && (outcome.exhaustive || different > 1) {
        let times = grouped(outcome.errors);
        if different == 1 {
            let _ =
                writeln!(out, "\nThis error was met {times} times, in different states; one run is shown.");
            return out;
        }
        let title = match different {
            MAX_VIOLATIONS => {
                format!("The first {different} different errors; errors were met {times} times:")
            }
            _ => format!("{different} different errors, met {times} times in all:"),
        };
        let _ = writeln!(out, "\n{}", style.bold(&title));
        for found in &report.checked.counterexamples {
            let steps = promela::diagnostic::count(found.violation.run.steps.len(), "step");
            let _ = writeln!(out, "  {}  ({steps})", printable(&found.violation.error.to_string()));
        }
    }
    out
}

fn unreached_text(program: &Program, unreached: &[Unreached], style: Style) -> String {
    let mut out = String::new();
    // Most processes go round forever: that their ends are not reached takes no more than a line.
    let mut endless = Vec::new();
    for process_type in &program.process_types {
        let of_type: Vec<&Unreached> =
            unreached.iter().filter(|statement| statement.process_type == process_type.name).collect();
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
