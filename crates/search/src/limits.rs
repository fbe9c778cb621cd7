//! The limits of a search, and the meter that checks them.

use crate::tuning::limits::RUN_GRACE;
use crate::tuning::threads::SEARCH_STACK_BYTES;
use lariat_ir::RuntimeError;
use lariat_ir::budget::{Budget, Exhausted, UNLIMITED};
use lariat_ir::interp::Patience;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The limits of a search; `None` means unlimited.
#[derive(Clone, Debug)]
pub struct Limits<'a> {
    /// Steps from an initial state; deeper states are stored but not expanded.
    pub depth: Option<u64>,
    /// States stored.
    pub states: Option<u64>,
    /// Resident memory of the process on Linux; elsewhere the size of the store.
    pub memory_bytes: Option<u64>,
    /// Time and interruption, for the whole command.
    pub budget: &'a Budget,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { depth: None, states: None, memory_bytes: None, budget: &UNLIMITED }
    }
}

impl From<Exhausted> for Limit {
    fn from(exhausted: Exhausted) -> Limit {
        match exhausted {
            Exhausted::Time(time) => Limit::Time(time),
            Exhausted::Interrupted => Limit::Interrupted,
        }
    }
}

impl<'a> Limits<'a> {
    /// The bound on a single d_step.
    pub fn patience(&self) -> Patience<'a> {
        Patience::until(self.budget.flag())
    }
}

/// The limit that kept a search from being exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Some states were too deep to be expanded.
    Depth(u64),
    /// The number of states.
    States(u64),
    /// The cache stored this many states; states stored again after their eviction count again.
    Insertions(u64),
    /// Memory; 0 if the system refused an allocation of a search without a memory limit.
    MemoryBytes(u64),
    /// Time.
    Time(Duration),
    /// The search was interrupted.
    Interrupted,
    /// A d_step exceeded the bound on its steps.
    DStep {
        /// The line where the d_step begins; 0 if unknown.
        line: u32,
        /// The bound.
        steps: u64,
    },
    /// Files could not be written or read.
    Disk(std::io::ErrorKind),
    /// A run was found, but following it takes more memory than is left.
    RunTooLong {
        /// The length of the run.
        steps: u64,
        /// The memory limit.
        memory_bytes: u64,
    },
    /// The frontier exhausted the memory; the store has a fixed size.
    Waiting {
        /// The memory limit.
        memory_bytes: u64,
        /// The size of the store.
        store_bytes: u64,
    },
    /// The cache is full of states that must not be replaced.
    Kept {
        /// The capacity of the cache.
        states: u64,
        /// The size of the cache.
        bytes: u64,
    },
    /// The cache requires a depth-first search.
    NeedsDepthFirst,
}

impl Limit {
    /// The limit that caused an error, unless it is an error of the program.
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
            Limit::Insertions(states) => write!(
                out,
                "the limit of {states} states was reached; states that the cache evicted and \
                 stored again are counted again"
            ),
            Limit::MemoryBytes(0) => out.write_str("the system refused more memory"),
            Limit::MemoryBytes(bytes) => {
                write!(out, "the memory limit of {} was reached", size(*bytes))
            }
            Limit::Time(time) => {
                write!(out, "the time limit of {} was reached", rounded_time(*time))
            }
            Limit::Interrupted => out.write_str("interrupted"),
            Limit::DStep { line, steps } => {
                RuntimeError::DStepUnfinished { line: *line, steps: *steps, stopped: false }
                    .fmt(out)
            }
            Limit::Disk(kind) => {
                write!(out, "the files of the search could not be written or read: {kind}")
            }
            Limit::RunTooLong { steps, memory_bytes } => write!(
                out,
                "a run of {steps} steps was found, but following it would exceed the memory limit of {}",
                size(*memory_bytes)
            ),
            Limit::Waiting { memory_bytes, store_bytes } => write!(
                out,
                "the memory limit of {} was reached: the bit array has a fixed size ({}), but the frontier, the states still \
                 to expand, ran out of memory; raise --memory, or make the array smaller",
                size(*memory_bytes),
                size(*store_bytes)
            ),
            Limit::Kept { states, bytes } => write!(
                out,
                "the cache is too small: its {states} states ({}) are all on the depth-first stack or otherwise still needed; \
                 enlarge it (--cache-states, --memory), or use --store disk",
                size(*bytes)
            ),
            Limit::NeedsDepthFirst => out.write_str("the cache store needs a depth-first search"),
        }
    }
}

/// Formats a time with few digits: `90 s`, `2.5 s`, `0.25 s`, `10 ms`.
pub fn rounded_time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rounded = |value: f64, scale: f64| (value * scale).round() / scale;
    match seconds {
        short if short < 0.1 => format!("{} ms", rounded(short * 1e3, 10.0)),
        middle if middle < 10.0 => format!("{} s", rounded(middle, 100.0)),
        long => format!("{} s", rounded(long, 10.0)),
    }
}

/// Formats a memory limit as it is written in a flag, where a kilobyte is 1024 bytes.
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

/// Checks time and memory against the limits.
#[derive(Clone, Debug)]
pub(crate) struct Meter<'a> {
    limits: Limits<'a>,
    start: Instant,
    /// Time spent before the search was resumed.
    before: Duration,
    /// Memory kept free for a later phase.
    reserved_bytes: u64,
}

impl<'a> Meter<'a> {
    pub fn new(limits: &Limits<'a>, before: Duration) -> Meter<'a> {
        Meter { limits: limits.clone(), start: Instant::now(), before, reserved_bytes: 0 }
    }

    pub fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// The time until the next check: `longest`, or the remaining time if that is less.
    pub fn pause(&self, longest: Duration) -> Duration {
        self.limits.budget.remaining().map_or(longest, |left| longest.min(left))
    }

    /// Fails if the time limit is reached or the search is interrupted.
    pub fn check_time(&self) -> Result<(), Limit> {
        Ok(self.limits.budget.check()?)
    }

    /// Like [`check_time`](Self::check_time), with extra time for reconstructing a run.
    pub fn check_grace(&self) -> Result<(), Limit> {
        Ok(self.limits.budget.check_with(RUN_GRACE)?)
    }

    /// Runs `work` on another thread, which is abandoned if it does not end in time.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
    ) -> Result<T, Limit> {
        Ok(self.limits.budget.run(SEARCH_STACK_BYTES, work)?)
    }

    /// Why the budget's flag is raised.
    pub fn reason(&self) -> Limit {
        self.check_time().err().unwrap_or(Limit::Interrupted)
    }

    /// Whether the budget's flag is raised: a single load, for hot loops.
    pub fn is_over(&self) -> bool {
        self.limits.budget.is_over()
    }

    /// Fails if the memory limit is exceeded. `store_bytes` is used where the resident memory is
    /// unknown.
    pub fn check_memory(&self, store_bytes: u64) -> Result<(), Limit> {
        match self.limits.memory_bytes {
            Some(limit)
                if resident_bytes().unwrap_or(store_bytes)
                    > limit.saturating_sub(self.reserved_bytes) =>
            {
                Err(Limit::MemoryBytes(limit))
            }
            _ => Ok(()),
        }
    }

    /// The size to which a store of `store_bytes` may grow.
    pub fn store_limit(&self, store_bytes: u64) -> u64 {
        let Some(limit) = self.limits.memory_bytes else { return u64::MAX };
        let others = resident_bytes().unwrap_or(store_bytes).saturating_sub(store_bytes);
        limit.saturating_sub(others).saturating_sub(self.reserved_bytes)
    }

    /// Keeps 1/`part` of the memory free for a later phase; with 0, nothing.
    pub fn reserve(&mut self, part: u64) {
        self.reserved_bytes =
            self.limits.memory_bytes.and_then(|limit| limit.checked_div(part)).unwrap_or(0);
    }

    /// The memory limit as a [`Limit`].
    pub fn out_of_memory(&self, store_bytes: u64) -> Limit {
        Limit::MemoryBytes(self.limits.memory_bytes.unwrap_or(store_bytes))
    }
}

/// The resident memory of the process, if known.
pub(crate) fn resident_bytes() -> Option<u64> {
    crate::memory::resident::resident_bytes()
}

/// The peak resident memory of the process, if known.
pub(crate) fn peak_memory_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// A field of `/proc/self/status` in kilobytes.
fn status_bytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::HandWritten;
    use crate::{Options, Verdict, reachability};
    use lariat_ir::RuntimeError;
    use lariat_ir::system::Width;
    use std::num::NonZeroUsize;
    use std::sync::atomic::Ordering;

    /// If the second search, for the run to an error, is interrupted, the error is reported without
    /// its run.
    #[test]
    fn an_error_without_its_run_is_reported() {
        let stop = Arc::new(AtomicBool::new(false));
        let budget = Budget::until(Arc::clone(&stop));
        let system = HandWritten {
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
        assert_eq!(
            (outcome.verdict(), outcome.limit),
            (Verdict::Violated, Some(Limit::Interrupted))
        );
        assert_eq!(outcome.unshown, [RuntimeError::InvalidEndState]);
        assert!(outcome.violations.is_empty());
    }

    #[test]
    fn sizes_are_formatted_as_in_flags() {
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
        let shown = [
            (3.000_483_2, "3 s"),
            (0.01, "10 ms"),
            (0.25, "0.25 s"),
            (90.04, "90 s"),
            (0.0, "0 ms"),
        ];
        for (seconds, text) in shown {
            assert_eq!(rounded_time(Duration::from_secs_f64(seconds)), text);
        }
    }
}
