//! Limits of a search, and the meter that watches them. Reaching a limit is a value, never a panic.

use model::RuntimeError;
use model::budget::{Budget, Exhausted, UNLIMITED};
use model::interp::Patience;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How far a search may go; `None` is as far as it takes.
#[derive(Clone, Debug)]
pub struct Limits<'a> {
    /// Steps from an initial state; deeper states are stored but not expanded.
    pub depth: Option<u64>,
    pub states: Option<u64>,
    /// Of the whole process, where the system tells; otherwise of the state store.
    pub memory_bytes: Option<u64>,
    /// Time and interruption: those of the whole command.
    pub budget: &'a Budget,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { depth: None, states: None, memory_bytes: None, budget: &UNLIMITED }
    }
}

/// How much longer than its time limit a search may take to find the run to an error that it has met.
pub(crate) const GRACE: Duration = Duration::from_millis(700);

impl From<Exhausted> for Limit {
    fn from(exhausted: Exhausted) -> Limit {
        match exhausted {
            Exhausted::Time(time) => Limit::Time(time),
            Exhausted::Interrupted => Limit::Interrupted,
        }
    }
}

impl<'a> Limits<'a> {
    /// How long a single d_step may run.
    pub fn patience(&self) -> Patience<'a> {
        Patience::until(self.budget.flag())
    }
}

/// The limit that kept a search from being exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Depth(u64),
    States(u64),
    MemoryBytes(u64),
    Time(Duration),
    Interrupted,
    /// A d_step that begins at this line ran into the bound on its steps; line 0 if that is not known.
    DStep {
        line: u32,
        steps: u64,
    },
    /// Files could not be written or read.
    Disk(std::io::ErrorKind),
    /// A run was found, and the memory that is left is too little to follow it.
    RunTooLong {
        steps: u64,
        memory_bytes: u64,
    },
    /// The store has a fixed size and never runs out; the states that wait to be expanded did.
    Waiting {
        memory_bytes: u64,
        store_bytes: u64,
    },
    /// The store forgets what need not be kept, and all that it has room for, so many states, must be.
    Kept {
        states: u64,
        bytes: u64,
    },
    /// The store forgets what is not on a stack, and the order asked for has none.
    NeedsDepthFirst,
}

impl Limit {
    /// The limit that an error stands for, if it is not one of the program.
    pub(crate) fn of(error: &RuntimeError) -> Option<Limit> {
        match *error {
            RuntimeError::DStepUnfinished { stopped: true, .. } => Some(Limit::Interrupted),
            RuntimeError::DStepUnfinished { line, steps, .. } => Some(Limit::DStep { line, steps }),
            _ => None,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Depth(steps) => write!(out, "the depth limit of {steps} steps was reached"),
            Limit::States(states) => write!(out, "the limit of {states} states was reached"),
            Limit::MemoryBytes(bytes) => write!(out, "the memory limit of {} was reached", size(*bytes)),
            Limit::Time(time) => {
                write!(out, "the time limit of {} was reached", rounded_time(*time))
            }
            Limit::Interrupted => out.write_str("interrupted"),
            Limit::DStep { line, steps } => {
                RuntimeError::DStepUnfinished { line: *line, steps: *steps, stopped: false }.fmt(out)
            }
            Limit::Disk(kind) => write!(out, "the files of the search could not be written or read: {kind}"),
            Limit::RunTooLong { steps, memory_bytes } => write!(
                out,
                "a run of {steps} steps was found, and following it takes more than the memory limit of {}",
                size(*memory_bytes)
            ),
            Limit::Waiting { memory_bytes, store_bytes } => write!(
                out,
                "the memory limit of {} was reached: not the array of bits ran out ({}), but the memory for the states that \
                 wait to be expanded; give more memory, or less of it to the array",
                size(*memory_bytes),
                size(*store_bytes)
            ),
            Limit::Kept { states, bytes } => write!(
                out,
                "the cache is too small: all {states} states it has room for ({}) must be kept to go on, and there are more; \
                 give it more room (--cache-states, --memory), or use --store disk",
                size(*bytes)
            ),
            Limit::NeedsDepthFirst => out.write_str("the cache store needs a depth-first search"),
        }
    }
}

/// `90 s`, `2.5 s`, `0.25 s`, `10 ms`: not more digits than people read.
pub fn rounded_time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rounded = |value: f64, scale: f64| (value * scale).round() / scale;
    match seconds {
        short if short < 0.1 => format!("{} ms", rounded(short * 1e3, 10.0)),
        middle if middle < 10.0 => format!("{} s", rounded(middle, 100.0)),
        long => format!("{} s", rounded(long, 10.0)),
    }
}

/// A limit of memory as one writes it in a flag, where a kilobyte is 1024 bytes.
fn size(bytes: u64) -> String {
    let units = [("GB", 30), ("MB", 20), ("KB", 10)];
    match units.into_iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => {
            let tenths = (bytes as f64 * 10.0 / (1u64 << shift) as f64).round();
            format!("{} {unit}", tenths / 10.0)
        }
        None => format!("{bytes} bytes"),
    }
}

/// Looks at clock and memory.
#[derive(Clone, Debug)]
pub(crate) struct Meter<'a> {
    limits: Limits<'a>,
    start: Instant,
    /// Time spent before, if the search was resumed.
    before: Duration,
    /// What is left free of the memory, for a later phase.
    reserved_bytes: u64,
}

impl<'a> Meter<'a> {
    pub fn new(limits: &Limits<'a>, before: Duration) -> Meter<'a> {
        Meter { limits: limits.clone(), start: Instant::now(), before, reserved_bytes: 0 }
    }

    pub fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// How long nothing need be looked at.
    pub fn pause(&self, longest: Duration) -> Duration {
        self.limits.budget.remaining().map_or(longest, |left| longest.min(left))
    }

    /// Must the search end, for time or an interruption?
    pub fn check_time(&self) -> Result<(), Limit> {
        Ok(self.limits.budget.check()?)
    }

    /// The same for a search that has found what it looked for and only has to show it.
    pub fn check_grace(&self) -> Result<(), Limit> {
        Ok(self.limits.budget.check_with(GRACE)?)
    }

    /// Work that ends when it is told to, or is not waited for any longer.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
    ) -> Result<T, Limit> {
        Ok(self.limits.budget.run(crate::threads::STACK_BYTES, work)?)
    }

    /// Why the budget's flag is raised.
    pub fn reason(&self) -> Limit {
        self.check_time().err().unwrap_or(Limit::Interrupted)
    }

    /// A single load, for loops in which even a look at the clock would take too long.
    pub fn is_over(&self) -> bool {
        self.limits.budget.is_over()
    }

    /// Is there memory left? Precondition: the store takes so many bytes.
    pub fn check_memory(&self, store_bytes: u64) -> Result<(), Limit> {
        match self.limits.memory_bytes {
            Some(limit)
                if resident_bytes().unwrap_or(store_bytes) > limit.saturating_sub(self.reserved_bytes) =>
            {
                Err(Limit::MemoryBytes(limit))
            }
            _ => Ok(()),
        }
    }

    /// How much a store that takes so many bytes may take.
    pub fn store_limit(&self, store_bytes: u64) -> u64 {
        let Some(limit) = self.limits.memory_bytes else { return u64::MAX };
        let others = resident_bytes().unwrap_or(store_bytes).saturating_sub(store_bytes);
        limit.saturating_sub(others).saturating_sub(self.reserved_bytes)
    }

    /// Leaves 1/`part` of the memory free for a later phase; 0 leaves nothing free.
    pub fn reserve(&mut self, part: u64) {
        self.reserved_bytes = self.limits.memory_bytes.and_then(|limit| limit.checked_div(part)).unwrap_or(0);
    }

    /// The limit of memory was reached.
    pub fn out_of_memory(&self, store_bytes: u64) -> Limit {
        Limit::MemoryBytes(self.limits.memory_bytes.unwrap_or(store_bytes))
    }
}

/// What the process holds in memory now, if the system tells.
pub(crate) fn resident_bytes() -> Option<u64> {
    crate::memory::resident_bytes()
}

/// The most memory this process ever held, if the system tells.
pub(crate) fn peak_memory_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// A field of Linux's process status, which gives kilobytes.
fn status_bytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Written;
    use crate::{Options, Verdict, reachability};
    use model::RuntimeError;
    use model::system::Width;
    use std::num::NonZeroUsize;
    use std::sync::atomic::Ordering;

    /// The run to an error takes a second search; if that is interrupted, the error is reported without its run.
    #[test]
    fn an_error_is_not_lost_with_its_run() {
        let stop = Arc::new(AtomicBool::new(false));
        let budget = Budget::until(Arc::clone(&stop));
        let system = Written {
            width: Width { identity: 1, all: 1 },
            successors: |state: &[u64]| vec![vec![(state[0] + 1) % 1000]],
            is_right: |state: &[u64]| {
                stop.fetch_or(state[0] == 900, Ordering::Relaxed);
                state[0] != 900
            },
        };
        let options = Options {
            limits: Limits { budget: &budget, ..Limits::default() },
            threads: NonZeroUsize::new(2),
            join_after: Some(10),
            ..Options::default()
        };
        let outcome = reachability(&system, &options);
        assert_eq!((outcome.verdict(), outcome.limit), (Verdict::Violated, Some(Limit::Interrupted)));
        assert_eq!(outcome.unshown, [RuntimeError::InvalidEndState]);
        assert!(outcome.violations.is_empty());
    }

    #[test]
    fn sizes_are_shown_as_they_are_written() {
        let shown = [
            (0, "0 bytes"),
            (1000, "1000 bytes"),
            (200 << 10, "200 KB"),
            (512 << 20, "512 MB"),
            (3 << 29, "1.5 GB"),
            (64 << 30, "64 GB"),
            (19_553_000_000, "18.2 GB"),
        ];
        for (bytes, text) in shown {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn times_are_rounded() {
        let shown = [(3.000_483_2, "3 s"), (0.01, "10 ms"), (0.25, "0.25 s"), (90.04, "90 s"), (0.0, "0 ms")];
        for (seconds, text) in shown {
            assert_eq!(rounded_time(Duration::from_secs_f64(seconds)), text);
        }
    }
}
