//! Runs both tools on one program and compares the results.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use crate::lariat::{self, Tool};
use crate::pan::is_fatal;
use crate::spin::{self, Options};

/// The result of the comparison of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    Same,
    /// There is no result of SPIN to compare with.
    Skipped(Reason),
    Different(Difference),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// SPIN does not accept the program: a defect of the generator.
    RejectedBySpin,
    /// The generated C does not compile, or the verifier crashes.
    BrokenVerifier,
    TooBig,
}

/// A disagreement. Shrinking preserves its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    pub spin: String,
    pub lariat: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    Rejected,
    Crashed,
    Unfinished,
    Counts,
    Errors,
}

/// Runs both tools and compares. A difference is confirmed with an optimising compiler.
pub fn compare(model: &str, tool: &Tool, limit: Duration) -> io::Result<Comparison> {
    let first = compare_with(model, tool, &Options::quick(limit))?;
    if !matches!(first, Comparison::Different(_)) {
        return Ok(first);
    }
    compare_with(model, tool, &Options::confirming(limit))
}

/// Like [`compare`], but only with the fast compiler: for shrinking.
pub fn compare_quickly(model: &str, tool: &Tool, limit: Duration) -> io::Result<Comparison> {
    compare_with(model, tool, &Options::quick(limit))
}

fn compare_with(model: &str, tool: &Tool, options: &Options) -> io::Result<Comparison> {
    let figures = match spin::check_text(model, options)? {
        spin::Outcome::Searched(figures) if figures.truncated => {
            return Ok(Comparison::Skipped(Reason::TooBig));
        }
        spin::Outcome::Searched(figures) => figures,
        spin::Outcome::Rejected(_) => return Ok(Comparison::Skipped(Reason::RejectedBySpin)),
        spin::Outcome::OutOfTime => return Ok(Comparison::Skipped(Reason::TooBig)),
        spin::Outcome::NotCompiled(_) | spin::Outcome::Crashed(_) => {
            return Ok(Comparison::Skipped(Reason::BrokenVerifier));
        }
    };
    let expected = if figures.fatal {
        format!("stopped by {:?}", figures.error_kinds)
    } else {
        show(figures.states, figures.transitions, &figures.error_kinds)
    };
    let different = |kind, found: String| {
        Comparison::Different(Difference { kind, spin: expected.clone(), lariat: found })
    };
    let found = match tool.check_text(model)? {
        lariat::Outcome::Searched(found) => found,
        lariat::Outcome::Rejected(why) => {
            return Ok(different(DifferenceKind::Rejected, format!("rejected: {why}")));
        }
        lariat::Outcome::Crashed(why) => {
            return Ok(different(DifferenceKind::Crashed, format!("crashed: {why}")));
        }
        lariat::Outcome::OutOfTime => {
            return Ok(different(DifferenceKind::Unfinished, "out of time".to_owned()));
        }
        lariat::Outcome::Inconclusive(why) => {
            return Ok(different(DifferenceKind::Unfinished, format!("inconclusive: {why}")));
        }
    };
    let shown = show(found.states, found.transitions, &found.error_kinds);
    if figures.fatal {
        // SPIN stopped at the first error, so only the presence of these kinds can be compared.
        let missing = figures
            .error_kinds
            .iter()
            .any(|kind| is_fatal(kind) && !found.error_kinds.contains(kind));
        return Ok(if missing {
            different(DifferenceKind::Errors, shown)
        } else {
            Comparison::Same
        });
    }
    if (found.states, found.transitions) != (figures.states, figures.transitions) {
        return Ok(different(DifferenceKind::Counts, shown));
    }
    if found.error_kinds != figures.error_kinds {
        return Ok(different(DifferenceKind::Errors, shown));
    }
    Ok(Comparison::Same)
}

fn show(states: u64, transitions: u64, kinds: &BTreeSet<String>) -> String {
    format!("{states} states, {transitions} transitions, errors {kinds:?}")
}
