//! A line on the terminal that says how far a search has come.

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use search::{Limits, Progress};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Visible only if somebody looks at standard error.
#[derive(Debug)]
pub struct ProgressLine {
    bar: Option<ProgressBar>,
    memory_bytes: Option<u64>,
    time: Option<Duration>,
}

impl ProgressLine {
    /// For a search within these limits.
    pub fn new(quiet: bool, limits: &Limits<'_>) -> ProgressLine {
        let bar = (!quiet && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        ProgressLine { bar, memory_bytes: limits.memory_bytes, time: limits.time }
    }

    pub fn is_visible(&self) -> bool {
        self.bar.is_some()
    }

    pub fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        bar.set_message(self.text(progress));
        bar.tick();
    }

    /// How far it is, and how long it takes from here where that is known: the size of a state space is not, until all of it was visited.
    fn text(&self, progress: &Progress) -> String {
        let seconds = progress.elapsed.as_secs_f64();
        let rate = HumanCount((progress.states as f64 / seconds.max(0.001)) as u64);
        let mut parts = vec![
            format!("{} states ({rate}/s)", HumanCount(progress.states)),
            format!("{} transitions", HumanCount(progress.transitions)),
        ];
        // Searches for cycles have no such figures.
        if progress.depth > 0 {
            parts.push(format!("depth {}", HumanCount(progress.depth)));
        }
        if progress.waiting > 0 {
            parts.push(format!("about {} waiting", HumanCount(progress.waiting)));
        }
        let used = HumanBytes(progress.memory_bytes);
        parts.push(match self.memory_bytes {
            Some(allowed) => format!("{used} of {}", HumanBytes(allowed)),
            None => used.to_string(),
        });
        parts.push(format!("{seconds:.0} s"));
        if let Some(time) = self.time {
            let left = time.saturating_sub(progress.elapsed).as_secs_f64();
            parts.push(format!("at most {left:.0} s left"));
        }
        if let Some(repetition) = progress.repetition {
            parts.push(format!("run {} of {}", repetition.run, repetition.of));
            if let Some(left) = repetition.left(progress.elapsed) {
                parts.push(format!("about {:.0} s left", left.as_secs_f64()));
            }
        }
        parts.join(", ")
    }

    /// Leaves the terminal as it was.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Repetition;

    #[test]
    fn says_how_long_it_takes_where_that_is_known() {
        let mut line = ProgressLine { bar: None, memory_bytes: Some(1 << 30), time: None };
        let mut progress = Progress {
            states: 2000,
            transitions: 5000,
            depth: 70,
            waiting: 3,
            memory_bytes: 1 << 20,
            elapsed: Duration::from_secs(2),
            repetition: None,
        };
        let all =
            "2,000 states (1,000/s), 5,000 transitions, depth 70, about 3 waiting, 1.00 MiB of 1.00 GiB, 2 s";
        assert_eq!(line.text(&progress), all);
        line.time = Some(Duration::from_secs(9));
        assert_eq!(line.text(&progress), format!("{all}, at most 7 s left"));
        line.time = None;
        progress.repetition = Some(Repetition { run: 1, of: 4, before: Duration::ZERO });
        assert_eq!(line.text(&progress), format!("{all}, run 1 of 4"));
        // Two took 20 s, so two more take 20 s, of which 2 s have passed.
        progress.repetition = Some(Repetition { run: 3, of: 4, before: Duration::from_secs(20) });
        assert_eq!(line.text(&progress), format!("{all}, run 3 of 4, about 18 s left"));
    }
}
