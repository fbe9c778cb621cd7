//! What threads share beside the store: the sign to stop, and work for those who have none.

use crate::limits::Limit;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// More threads than this help nobody.
const MOST_THREADS: usize = 1024;
/// How many threads are to search: as many as were asked for, or one for each processor.
pub(crate) fn thread_count(asked: Option<NonZeroUsize>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(processors, usize::from).min(MOST_THREADS)
}

/// How long an idle thread waits before it looks at the sign to stop again.
const PATIENCE: Duration = Duration::from_millis(2);

/// The sign to end a round, with the limit that is the reason, if one is.
#[derive(Debug, Default)]
pub(crate) struct Sign {
    raised: AtomicBool,
    /// The search is over, not just the round.
    over: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl Sign {
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The flag itself, for those who only look.
    pub fn flag(&self) -> &AtomicBool {
        &self.raised
    }

    /// Ends the round.
    pub fn pause(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// Ends the search. The first limit that is given remains.
    pub fn stop(&self, limit: Option<Limit>) {
        if let Some(limit) = limit {
            lock(&self.limit).get_or_insert(limit);
        }
        self.over.store(true, Ordering::Relaxed);
        self.pause();
    }

    /// Between rounds: the search goes on.
    pub fn lower(&self) {
        self.raised.store(false, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub fn limit(&self) -> Option<Limit> {
        *lock(&self.limit)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
struct Shelf {
    chunks: Vec<Vec<u64>>,
    /// Threads that take part.
    members: usize,
    /// Those without work.
    idle: usize,
}

/// Work that is given away.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    shelf: Mutex<Shelf>,
    changed: Condvar,
    /// Threads that wait for work and have none promised yet.
    hungry: AtomicUsize,
}

impl Pool {
    pub fn new(members: usize, chunks: Vec<Vec<u64>>) -> Pool {
        Pool { shelf: Mutex::new(Shelf { chunks, members, idle: 0 }), ..Pool::default() }
    }

    /// Does somebody wait for work?
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    pub fn give(&self, chunk: Vec<u64>) {
        let mut shelf = lock(&self.shelf);
        shelf.chunks.push(chunk);
        self.hungry.store(shelf.idle.saturating_sub(shelf.chunks.len()), Ordering::Relaxed);
        drop(shelf);
        self.changed.notify_one();
    }

    /// Work that lies ready.
    pub fn take(&self) -> Option<Vec<u64>> {
        lock(&self.shelf).chunks.pop()
    }

    /// Work, when there is some; `None` when the round is over, for everybody is idle or has been asked to stop.
    pub fn wait(&self, sign: &Sign) -> Option<Vec<u64>> {
        let mut shelf = lock(&self.shelf);
        shelf.idle += 1;
        let work = loop {
            if let Some(chunk) = shelf.chunks.pop() {
                break Some(chunk);
            }
            if shelf.idle >= shelf.members || sign.is_raised() {
                break None;
            }
            self.hungry.store(shelf.idle, Ordering::Relaxed);
            let waited = self.changed.wait_timeout(shelf, PATIENCE);
            shelf = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        match work {
            Some(_) => shelf.idle -= 1,
            // Who leaves remains idle, so that the others see the end too.
            None => self.changed.notify_all(),
        }
        self.hungry.store(shelf.idle.saturating_sub(shelf.chunks.len()), Ordering::Relaxed);
        work
    }

    /// A thread leaves the round, or could not be started.
    pub fn leave(&self) {
        lock(&self.shelf).members -= 1;
        self.changed.notify_all();
    }

    /// What nobody took.
    pub fn into_chunks(self) -> Vec<Vec<u64>> {
        self.shelf.into_inner().unwrap_or_else(PoisonError::into_inner).chunks
    }
}

/// The figures of one thread, as seen by the others while it works.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub states: AtomicU64,
    pub transitions: AtomicU64,
    pub depth: AtomicU64,
    pub waiting: AtomicU64,
}
