//! What the main thread does while a round lasts: it waits for the workers, and watches the limits.

use super::Progress;
use crate::Options;
use crate::limits::{Limit, Meter, resident_bytes};
use crate::pool::{Live, Sign};
use crate::store::Store;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often somebody is told about progress, and how often memory is looked at.
const TELL: Duration = Duration::from_millis(200);
const MEMORY: Duration = Duration::from_millis(20);

/// Looks at the limits, and tells who wants to know how the search gets on.
pub(super) fn watch<T: Store>(
    meter: &Meter<'_>,
    sign: &Sign,
    told: &Mutex<(Instant, Instant)>,
    live: &[Live],
    options: &Options<'_>,
    store: &T,
) {
    if let Err(limit) = meter.check_time() {
        sign.stop(Some(limit));
    }
    let now = Instant::now();
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    if now.duration_since(told.0) >= MEMORY {
        told.0 = now;
        crate::footprint::shrink();
        if let Err(limit) = meter.check_memory(store.memory_bytes()) {
            sign.stop(Some(match limit {
                Limit::MemoryBytes(memory_bytes) if T::FIXED => {
                    Limit::Waiting { memory_bytes, store_bytes: store.memory_bytes() }
                }
                other => other,
            }));
        }
    }
    if let Some(progress) = options.progress
        && now.duration_since(told.1) >= TELL
    {
        told.1 = now;
        let sum = |figure: fn(&Live) -> &AtomicU64| {
            live.iter().map(|live| figure(live).load(Ordering::Relaxed)).sum::<u64>()
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

/// How many threads of a round still run.
pub(super) struct Running {
    count: Mutex<usize>,
    ended: Condvar,
}

/// Counts a thread as ended when dropped, so that a panic is no reason to wait forever.
pub(super) struct Ending<'a>(&'a Running);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Running {
    pub fn new(count: usize) -> Running {
        Running { count: Mutex::new(count), ended: Condvar::new() }
    }

    pub fn end(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.ended.notify_all();
    }

    pub fn end_later(&self) -> Ending<'_> {
        Ending(self)
    }

    /// Waits; have all ended?
    pub fn wait(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if *count == 0 {
            return true;
        }
        let waited = self.ended.wait_timeout(count, time);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}
