//! The time for writing reports, which is part of the time limit of a command.

use super::STACK_BYTES;
use lariat::Report;
use lariat::report::json;
use lariat::report::text::{self, Detail, Style};
use lariat_ir::{Budget, Exhausted};
use std::sync::Arc;
use std::time::Duration;

/// The time for reports if a limit or an interrupt ended the search: without it, the answer of an
/// interrupted search would be lost.
const GRACE: Duration = Duration::from_millis(500);

/// The time in which all reports of a command have to be written.
#[derive(Debug)]
pub struct Writing {
    whole: Budget,
    part: Budget,
}

impl Writing {
    /// The rest of the budget, but at least the time that short reports need.
    pub fn within(budget: &Budget) -> Writing {
        let is_over = budget.check().is_err();
        let is_short = budget.remaining().is_some_and(|left| left < GRACE);
        let part = if is_over || is_short { Budget::of(GRACE) } else { budget.clone() };
        Writing { whole: budget.clone(), part }
    }

    /// Runs work on a thread that is abandoned when the time is over.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Exhausted> {
        self.part.run(STACK_BYTES, move |_| work()).map_err(|limit| self.reason(limit))
    }

    /// Whether the time is over.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn check(&self) -> Result<(), Exhausted> {
        self.part.check().map_err(|limit| self.reason(limit))
    }

    /// The report as text; without the runs if the time does not suffice for them.
    pub fn text(&self, report: &Arc<Report<'static>>, style: Style, detail: Detail) -> String {
        let shared = Arc::clone(report);
        self.run(move || text::render(&shared, style, detail)).unwrap_or_else(|limit| {
            let verdicts = text::render(report, style, Detail::Verdicts);
            verdicts + &style.fitted(format!("  {}\n", missing_runs(limit)))
        })
    }

    /// The report as JSON; without the runs if the time does not suffice for them.
    pub fn json(&self, report: &Arc<Report<'static>>) -> String {
        let shared = Arc::clone(report);
        self.run(move || json::render(&shared))
            .unwrap_or_else(|limit| json::render_without_runs(report, &missing_runs(limit)))
    }

    /// The limit of the command, which the user knows, rather than the one of its part.
    fn reason(&self, limit: Exhausted) -> Exhausted {
        self.whole.check().err().unwrap_or(limit)
    }
}

fn missing_runs(limit: Exhausted) -> String {
    let advice = advice(limit);
    format!("the report has no runs: {limit} while it was written{advice}")
}

/// What to do if a limit was reached.
pub fn advice(limit: Exhausted) -> &'static str {
    match limit {
        Exhausted::Time(_) => "; a longer --time may suffice",
        Exhausted::Interrupted => "",
    }
}
