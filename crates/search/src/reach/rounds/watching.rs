//! The main thread during a round: it waits for the workers, checks limits and reports progress.

use super::Progress;
use crate::Options;
use crate::limits::resident_bytes;
use crate::reach::work_pool::LiveCounters;
use crate::reach::worker::RoundContext;
use crate::store::Store;
use crate::tuning::limits::PROGRESS_INTERVAL;
use crate::tuning::reach::WATCH_INTERVAL;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When the memory was last checked, and when progress was last reported.
#[derive(Debug)]
pub(super) struct WatchTimes {
    memory: Instant,
    progress: Instant,
}

impl WatchTimes {
    pub fn new(now: Instant) -> WatchTimes {
        WatchTimes { memory: now, progress: now }
    }
}

/// Checks the limits and reports progress.
pub(super) fn watch<S, T: Store>(
    context: &RoundContext<'_, S, T>,
    times: &Mutex<WatchTimes>,
    options: &Options<'_>,
) {
    let RoundContext { meter, store, signal, live, .. } = context;
    if let Err(limit) = meter.check_time() {
        signal.end_search(Some(limit));
    }
    let now = Instant::now();
    let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
    if now.duration_since(times.memory) >= WATCH_INTERVAL {
        times.memory = now;
        context.check_memory();
    }
    if let Some(progress) = options.progress
        && now.duration_since(times.progress) >= PROGRESS_INTERVAL
    {
        times.progress = now;
        let sum = |counter: fn(&LiveCounters) -> &AtomicU64| {
            live.iter().map(|live| counter(live).load(Ordering::Relaxed)).sum::<u64>()
        };
        progress(&Progress {
            states: sum(|live| &live.states),
            transitions: sum(|live| &live.transitions),
            depth: live.iter().map(|live| live.depth.load(Ordering::Relaxed)).max().unwrap_or(0),
            waiting: sum(|live| &live.waiting),
            memory_bytes: resident_bytes().unwrap_or_else(|| store.memory_bytes()),
            elapsed: meter.elapsed(),
            repetition: None,
        });
    }
}

/// The number of threads of a round that still run.
pub(super) struct RunningThreads {
    count: Mutex<usize>,
    ended: Condvar,
}

/// Counts a thread as ended when dropped, so also after a panic.
pub(super) struct EndOnDrop<'a>(&'a RunningThreads);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl RunningThreads {
    pub fn new(count: usize) -> RunningThreads {
        RunningThreads { count: Mutex::new(count), ended: Condvar::new() }
    }

    pub fn end(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.ended.notify_all();
    }

    pub fn end_on_drop(&self) -> EndOnDrop<'_> {
        EndOnDrop(self)
    }

    /// Waits at most this long; whether all threads have ended.
    pub fn wait(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if *count == 0 {
            return true;
        }
        let waited = self.ended.wait_timeout(count, time);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}
