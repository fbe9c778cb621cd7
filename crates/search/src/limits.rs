//! Limits of a search, and the meter that watches them. Reaching a limit is a value, never a panic.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How far a search may go; `None` is as far as it takes.
#[derive(Clone, Debug, Default)]
pub struct Limits<'a> {
    /// Steps from an initial state; deeper states are stored but not expanded.
    pub depth: Option<u64>,
    pub states: Option<u64>,
    /// Of the whole process, where the system tells; otherwise of the state store.
    pub memory_bytes: Option<u64>,
    pub time: Option<Duration>,
    /// Set from outside to end the search.
    pub interrupt: Option<&'a AtomicBool>,
}

/// The limit that kept a search from being exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Depth(u64),
    States(u64),
    MemoryBytes(u64),
    Time(Duration),
    Interrupted,
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

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Depth(steps) => write!(out, "the depth limit of {steps} steps was reached"),
            Limit::States(states) => write!(out, "the limit of {states} states was reached"),
            Limit::MemoryBytes(bytes) => write!(out, "the memory limit of {} was reached", size(*bytes)),
            Limit::Time(time) => {
                write!(out, "the time limit of {} s was reached", time.as_secs_f64())
            }
            Limit::Interrupted => out.write_str("interrupted"),
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
                "the cache is too small: all {states} states it has room for ({:.1} MB) must be kept to go on, and there are more; \
                 give it more room (--cache-states, --memory), or use --store disk",
                *bytes as f64 / 1e6
            ),
            Limit::NeedsDepthFirst => out.write_str("the cache store needs a depth-first search"),
        }
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

    /// For a search that has begun again after so long, within the same limits.
    pub fn again(limits: &Limits<'a>, spent: Duration) -> Meter<'a> {
        let now = Instant::now();
        let (start, before) = now.checked_sub(spent).map_or((now, spent), |start| (start, Duration::ZERO));
        Meter { limits: limits.clone(), start, before, reserved_bytes: 0 }
    }

    pub fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// How long nothing need be looked at.
    pub fn pause(&self, longest: Duration) -> Duration {
        match self.limits.time {
            Some(time) => longest.min(time.saturating_sub(self.start.elapsed())),
            None => longest,
        }
    }

    /// Has somebody lost patience?
    pub fn check_time(&self) -> Result<(), Limit> {
        self.check_interrupt()?;
        match self.limits.time {
            Some(time) if self.start.elapsed() >= time => Err(Limit::Time(time)),
            _ => Ok(()),
        }
    }

    pub fn check_interrupt(&self) -> Result<(), Limit> {
        match self.limits.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(Limit::Interrupted),
            _ => Ok(()),
        }
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

    /// Leaves one part in so many of the memory free, for a later phase; 0 is none.
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
    fn a_search_that_begins_again_has_the_time_that_is_left() {
        let time = Duration::from_millis(10);
        let limits = Limits { time: Some(time), ..Limits::default() };
        assert_eq!(Meter::again(&limits, time).check_time(), Err(Limit::Time(time)));
        let hour = Limits { time: Some(Duration::from_secs(3600)), ..Limits::default() };
        assert_eq!(Meter::again(&hour, time).check_time(), Ok(()));
        assert!(Meter::again(&hour, time).elapsed() >= time);
    }
}
