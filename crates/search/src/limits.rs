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
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Depth(steps) => write!(out, "the depth limit of {steps} steps was reached"),
            Limit::States(states) => write!(out, "the limit of {states} states was reached"),
            Limit::MemoryBytes(bytes) => {
                write!(out, "the memory limit of {} MB was reached", bytes / 1_000_000)
            }
            Limit::Time(time) => {
                write!(out, "the time limit of {} s was reached", time.as_secs_f64())
            }
            Limit::Interrupted => out.write_str("interrupted"),
        }
    }
}

/// Looks at clock and memory once in a while.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    limits: Limits<'a>,
    start: Instant,
    ticks: u32,
}

const TICKS_PER_TIME: u32 = 64;
const TICKS_PER_MEMORY: u32 = 16 * 1024;

impl<'a> Meter<'a> {
    pub fn new(limits: &Limits<'a>) -> Meter<'a> {
        Meter { limits: limits.clone(), start: Instant::now(), ticks: 0 }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Called once per unit of work; `store_bytes` is asked only if the system cannot tell.
    #[inline]
    pub fn tick(&mut self, store_bytes: impl FnOnce() -> u64) -> Result<(), Limit> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(TICKS_PER_TIME) {
            self.look(store_bytes)?;
        }
        Ok(())
    }

    #[cold]
    fn look(&self, store_bytes: impl FnOnce() -> u64) -> Result<(), Limit> {
        if self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Limit::Interrupted);
        }
        if let Some(time) = self.limits.time
            && self.start.elapsed() >= time
        {
            return Err(Limit::Time(time));
        }
        if let Some(limit) = self.limits.memory_bytes
            && self.ticks.is_multiple_of(TICKS_PER_MEMORY)
            && resident_bytes("VmRSS:").unwrap_or_else(store_bytes) > limit
        {
            return Err(Limit::MemoryBytes(limit));
        }
        Ok(())
    }
}

/// The most memory this process ever held, if the system tells.
pub(crate) fn peak_memory_bytes() -> Option<u64> {
    resident_bytes("VmHWM:")
}

/// A field of Linux's process status, which gives kilobytes.
fn resident_bytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
