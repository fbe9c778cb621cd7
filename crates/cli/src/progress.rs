//! The progress line of a search.

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lariat_search::{Limits, Progress};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// The progress line; visible only if standard error is a terminal.
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
        ProgressLine { bar, memory_bytes: limits.memory_bytes, time: limits.budget.time() }
    }

    pub fn is_visible(&self) -> bool {
        self.bar.is_some()
    }

    pub fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        // Reserve the spinner, the space after it, and the last column, which some terminals wrap.
        let width = terminal_size::terminal_size_of(io::stderr())
            .map(|(width, _)| usize::from(width.0).saturating_sub(3));
        bar.set_message(self.text(progress, width));
        bar.tick();
    }

    /// The figures so far, and the remaining time if it is bounded by a limit or can be
    /// extrapolated from earlier runs. Less important figures are omitted on narrow terminals.
    fn text(&self, progress: &Progress, width: Option<usize>) -> String {
        let seconds = progress.elapsed.as_secs_f64();
        let rate = HumanCount((progress.states as f64 / seconds.max(0.001)) as u64);
        // Each part with its priority; the highest number is dropped first.
        let mut parts = vec![
            (0, format!("{} states ({rate}/s)", HumanCount(progress.states))),
            (3, format!("{} transitions", HumanCount(progress.transitions))),
        ];
        // Cycle searches do not report depth and frontier size.
        if progress.depth > 0 {
            parts.push((1, format!("depth {}", HumanCount(progress.depth))));
        }
        if progress.waiting > 0 {
            parts.push((2, format!("about {} waiting", HumanCount(progress.waiting))));
        }
        let used = HumanBytes(progress.memory_bytes);
        let memory = match self.memory_bytes {
            Some(allowed) => format!("{used} of {}", HumanBytes(allowed)),
            None => used.to_string(),
        };
        parts.push((0, memory));
        parts.push((0, format!("{seconds:.0} s")));
        if let Some(time) = self.time {
            let left = time.saturating_sub(progress.elapsed).as_secs_f64();
            parts.push((0, format!("at most {left:.0} s left")));
        }
        if let Some(repetition) = progress.repetition {
            parts.push((0, format!("run {} of {}", repetition.run, repetition.of)));
            if let Some(left) = repetition.left(progress.elapsed) {
                parts.push((0, format!("about {:.0} s left", left.as_secs_f64())));
            }
        }
        loop {
            let text = parts.iter().map(|(_, part)| &**part).collect::<Vec<_>>().join(", ");
            let spare = (0..parts.len())
                .max_by_key(|&place| parts[place].0)
                .filter(|&place| parts[place].0 > 0);
            match spare {
                Some(place) if width.is_some_and(|width| text.chars().count() > width) => {
                    parts.remove(place)
                }
                _ => return text,
            };
        }
    }

    /// Removes the line from the terminal.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_search::Repetition;

    #[test]
    fn shows_the_remaining_time_if_known() {
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
        let all = "2,000 states (1,000/s), 5,000 transitions, depth 70, about 3 waiting, 1.00 MiB of 1.00 GiB, 2 s";
        assert_eq!(line.text(&progress, None), all);
        assert_eq!(line.text(&progress, Some(all.len())), all);
        let most = "2,000 states (1,000/s), depth 70, about 3 waiting, 1.00 MiB of 1.00 GiB, 2 s";
        assert_eq!(line.text(&progress, Some(all.len() - 1)), most);
        let least = "2,000 states (1,000/s), 1.00 MiB of 1.00 GiB, 2 s";
        assert_eq!(line.text(&progress, Some(20)), least);
        line.time = Some(Duration::from_secs(9));
        assert_eq!(line.text(&progress, None), format!("{all}, at most 7 s left"));
        line.time = None;
        progress.repetition = Some(Repetition { run: 1, of: 4, before: Duration::ZERO });
        assert_eq!(line.text(&progress, None), format!("{all}, run 1 of 4"));
        // Two runs took 20 s, so the two remaining ones take 20 s, of which 2 s have passed.
        progress.repetition = Some(Repetition { run: 3, of: 4, before: Duration::from_secs(20) });
        assert_eq!(line.text(&progress, None), format!("{all}, run 3 of 4, about 18 s left"));
    }
}
