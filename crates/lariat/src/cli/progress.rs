//! A line on the terminal that says how far a search has come.

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use search::Progress;
use std::io::{self, IsTerminal};

/// Visible only if somebody looks at standard error.
#[derive(Debug)]
pub struct ProgressLine {
    bar: Option<ProgressBar>,
}

impl ProgressLine {
    pub fn new(quiet: bool) -> ProgressLine {
        let bar = (!quiet && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        ProgressLine { bar }
    }

    pub fn is_visible(&self) -> bool {
        self.bar.is_some()
    }

    pub fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        let seconds = progress.elapsed.as_secs_f64();
        bar.set_message(format!(
            "{} states ({}/s), {} transitions, depth {}, about {} waiting, {}, {seconds:.0} s",
            HumanCount(progress.states),
            HumanCount((progress.states as f64 / seconds.max(0.001)) as u64),
            HumanCount(progress.transitions),
            HumanCount(progress.depth),
            HumanCount(progress.waiting),
            HumanBytes(progress.memory_bytes),
        ));
        bar.tick();
    }

    /// Leaves the terminal as it was.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
