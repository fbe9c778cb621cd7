//! State that the threads of a search share beside the store: the signal to stop, the pool of
//! states to expand (work sharing), and counters for progress reports.

use crate::limits::Limit;
use crate::tuning::threads::{IDLE_WAIT, MAX_THREADS};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number of search threads: the requested number, or one for each processor.
pub(crate) fn thread_count(requested: Option<NonZeroUsize>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    requested.map_or_else(processors, usize::from).min(MAX_THREADS)
}

/// The signal to end a round or the whole search, with the limit that caused it, if any.
#[derive(Debug, Default)]
pub(crate) struct StopSignal {
    round_over: AtomicBool,
    search_over: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl StopSignal {
    /// Whether the round is to end.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.round_over.load(Ordering::Relaxed)
    }

    /// The flag that [`is_raised`](Self::is_raised) reads.
    pub fn flag(&self) -> &AtomicBool {
        &self.round_over
    }

    /// Ends the round.
    pub fn end_round(&self) {
        self.round_over.store(true, Ordering::Relaxed);
    }

    /// Ends the search. The first limit given is kept.
    pub fn end_search(&self, limit: Option<Limit>) {
        if let Some(limit) = limit {
            lock(&self.limit).get_or_insert(limit);
        }
        self.search_over.store(true, Ordering::Relaxed);
        self.end_round();
    }

    /// Allows the next round.
    pub fn clear(&self) {
        self.round_over.store(false, Ordering::Relaxed);
    }

    /// Whether the whole search is over.
    pub fn is_search_over(&self) -> bool {
        self.search_over.load(Ordering::Relaxed)
    }

    /// The limit that ended the search.
    pub fn limit(&self) -> Option<Limit> {
        *lock(&self.limit)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct PoolState<Chunk> {
    chunks: Vec<Chunk>,
    /// Threads that take part in the round.
    members: usize,
    /// Members without work.
    idle: usize,
}

/// Chunks of work that busy threads donate to idle ones. A round ends when all members are idle.
#[derive(Debug)]
pub(crate) struct WorkPool<Chunk> {
    state: Mutex<PoolState<Chunk>>,
    changed: Condvar,
    /// Idle threads for which no donated chunk is available yet.
    unserved: AtomicUsize,
}

impl<Chunk> WorkPool<Chunk> {
    pub fn new(members: usize, chunks: Vec<Chunk>) -> WorkPool<Chunk> {
        let state = Mutex::new(PoolState { chunks, members, idle: 0 });
        WorkPool { state, changed: Condvar::new(), unserved: AtomicUsize::new(0) }
    }

    /// Whether a donation would be taken at once.
    #[inline]
    pub fn has_idle_threads(&self) -> bool {
        self.unserved.load(Ordering::Relaxed) > 0
    }

    /// Adds a chunk and wakes an idle thread.
    pub fn donate(&self, chunk: Chunk) {
        let mut state = lock(&self.state);
        state.chunks.push(chunk);
        self.unserved.store(state.idle.saturating_sub(state.chunks.len()), Ordering::Relaxed);
        drop(state);
        self.changed.notify_one();
    }

    /// Takes a chunk if one is available.
    pub fn try_take(&self) -> Option<Chunk> {
        lock(&self.state).chunks.pop()
    }

    /// Takes a chunk, waiting for one if necessary; `None` when the round is over: all members are
    /// idle, or the signal is raised.
    pub fn take_or_wait(&self, signal: &StopSignal) -> Option<Chunk> {
        let mut state = lock(&self.state);
        state.idle += 1;
        let work = loop {
            if let Some(chunk) = state.chunks.pop() {
                break Some(chunk);
            }
            if state.idle >= state.members || signal.is_raised() {
                break None;
            }
            self.unserved.store(state.idle, Ordering::Relaxed);
            let waited = self.changed.wait_timeout(state, IDLE_WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        match work {
            Some(_) => state.idle -= 1,
            // A thread that leaves stays counted as idle, so that the others see the end too.
            None => self.changed.notify_all(),
        }
        self.unserved.store(state.idle.saturating_sub(state.chunks.len()), Ordering::Relaxed);
        work
    }

    /// Removes a member: its thread ended, or could not be started.
    pub fn leave(&self) {
        lock(&self.state).members -= 1;
        self.changed.notify_all();
    }

    /// The chunks that were not taken.
    pub fn into_chunks(self) -> Vec<Chunk> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).chunks
    }
}

/// The counters of one thread, published for progress reports while it works.
#[derive(Debug, Default)]
pub(crate) struct LiveCounters {
    pub states: AtomicU64,
    pub transitions: AtomicU64,
    pub depth: AtomicU64,
    /// States in the thread's frontiers, approximately.
    pub waiting: AtomicU64,
}
