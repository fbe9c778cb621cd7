//! Reachability: visits every reachable state and reports every error.
//!
//! [`reachability`] is the entry point; it chooses the search for a [`StoreKind`].
//!
//! | file | owns |
//! |---|---|
//! | `rounds/` | the parallel search: rounds of workers, growth, compression, widening, saving |
//! | `worker/` | one thread of it: a block of states from the frontier to the store and back |
//! | `sequential.rs` | the common part of the single-threaded searches |
//! | `expansion.rs`, `atomic.rs` | the expansion step of all searches; atomic sequences |
//! | `frontier.rs`, `delta_coding.rs` | the states to expand, and their compression |
//! | `recent.rs`, `batch.rs` | filtering and batching of insertions |
//! | `predecessors.rs` | the run to a state |
//! | `work_pool.rs` | stop signal, work sharing |
//! | `tally.rs`, `coverage.rs` | counts, errors, transitions taken |
//! | `options.rs`, `checkpoint.rs`, `shuffled.rs` | options, saved searches, successor orders |

pub(crate) mod atomic;
pub(crate) mod batch;
pub(crate) mod checkpoint;
pub(crate) mod coverage;
pub(crate) mod delta_coding;
pub(crate) mod expansion;
pub(crate) mod frontier;
pub(crate) mod options;
pub(crate) mod predecessors;
pub(crate) mod recent;
pub(crate) mod rounds;
pub(crate) mod sequential;
pub(crate) mod shuffled;
pub(crate) mod tally;
pub(crate) mod work_pool;
pub(crate) mod worker;

use crate::omission::repeated_runs::repeated;
use crate::outcome::Outcome;
use crate::reach::rounds::{search, search_compressing};
use crate::store::{
    Bitstate, Cache, Compact, DEFAULT_BITS, DEFAULT_FUNCTIONS, Interned, Packed, Replacement, Store,
};
use crate::tuning::reach::{INTERNING_WORDS, RECORDED_STATES_FRUGAL};
use crate::tuning::store_choice::{AMPLE_BYTES, BITSTATE_BYTES, CACHE_BYTES, FIRST_STATES};
use crate::{Limit, Options, external};
use lariat_ir::System;
use std::path::PathBuf;

/// The kind of visited set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// Exact: `Packed`, then `Interned` if states are wide and take much less memory so, or when
    /// memory runs out.
    #[default]
    Automatic,
    /// Exact: the packed states.
    Packed,
    /// Exact: each part of a state is stored once.
    Interned,
    /// Hash compaction: a fingerprint of each state.
    Compact {
        /// The size of a fingerprint.
        bits: u32,
        /// Selects the hash function.
        seed: u64,
    },
    /// Bitstate hashing: some bits of an array for each state.
    Bitstate {
        /// Bits set for each state.
        functions: u32,
        /// The size of the array; by default three quarters of the memory limit, or a constant.
        bytes: Option<u64>,
        /// Selects the hash functions.
        seed: u64,
    },
    /// State-space caching: depth-first in one thread, with eviction when the cache is full.
    Cache {
        /// Capacity; by default as many states as fit into memory.
        states: Option<u64>,
        /// Which states are evicted.
        replacement: Replacement,
        /// Whether sleep sets avoid reaching a state on many paths.
        sleep_sets: bool,
        /// Selects the hash function and the random choices.
        seed: u64,
    },
    /// Exact, on disk; breadth-first in one thread.
    Disk {
        /// Where the files are made.
        directory: PathBuf,
    },
}

impl StoreKind {
    /// Hash compaction with the default fingerprint.
    pub fn compact() -> StoreKind {
        StoreKind::Compact { bits: DEFAULT_BITS, seed: 0 }
    }

    /// Bitstate hashing with the default number of functions.
    pub fn bitstate() -> StoreKind {
        StoreKind::Bitstate { functions: DEFAULT_FUNCTIONS, bytes: None, seed: 0 }
    }

    /// The same kind with other hash functions, if it has any.
    pub fn reseeded(&self, by: u64) -> StoreKind {
        let mut kind = self.clone();
        match &mut kind {
            StoreKind::Compact { seed, .. }
            | StoreKind::Bitstate { seed, .. }
            | StoreKind::Cache { seed, .. } => {
                *seed = seed.wrapping_add(by);
            }
            StoreKind::Automatic
            | StoreKind::Packed
            | StoreKind::Interned
            | StoreKind::Disk { .. } => {}
        }
        kind
    }
}

/// Visits the reachable states of `system` and reports the errors found.
pub fn reachability<S: System>(system: &S, options: &Options<'_>) -> Outcome {
    if options.runs > 1 {
        return repeated(system, &Options { runs: 1, ..options.clone() }, options.runs);
    }
    let bits = system.identity_bits();
    let memory = options.limits.memory_bytes;
    let room = match system.expected_states() {
        _ if memory.is_some_and(|bytes| bytes < AMPLE_BYTES) => 0,
        expected => expected.unwrap_or(FIRST_STATES),
    };
    // A store that saves memory should not be outweighed by the predecessors.
    let join_after = options.join_after.or(Some(RECORDED_STATES_FRUGAL));
    let frugal = Options { join_after, ..options.clone() };
    match &options.store {
        // A saved search may have more wide states than fit into memory if they are packed.
        StoreKind::Automatic if options.resume.is_some() && bits.len() >= INTERNING_WORDS => {
            start(system, Interned::new(bits.len()), &frugal)
        }
        StoreKind::Automatic => match Packed::new(&bits, room) {
            Some(store) => search_compressing(system, store, options),
            None => start(system, None::<Packed>, options),
        },
        StoreKind::Packed => start(system, Packed::new(&bits, room), options),
        StoreKind::Interned => start(system, Interned::new(bits.len()), &frugal),
        StoreKind::Compact { bits, seed } => start(system, Compact::new(*bits, *seed), &frugal),
        StoreKind::Bitstate { functions, bytes, seed } => {
            // The frontier needs memory too.
            let most = memory.map_or(BITSTATE_BYTES, |memory| memory / 4 * 3);
            let bytes = bytes.unwrap_or(BITSTATE_BYTES).min(most);
            let budget = options.limits.budget;
            start(system, Bitstate::within(bytes, *functions, *seed, budget), &frugal)
        }
        StoreKind::Cache { states, replacement, sleep_sets, seed } => {
            crate::caching::depth_first::search(system, options, *sleep_sets, |system| {
                let words = system.width().identity;
                let fitting = memory.map_or(CACHE_BYTES, |memory| memory / 4 * 3)
                    / crate::store::bytes_per_state(words);
                Cache::new(words, states.unwrap_or(fitting), *replacement, *seed)
            })
        }
        StoreKind::Disk { directory } => external::search(system, options, directory),
    }
}

/// Searches with a store; without one, memory ran out.
fn start<S: System, T: Store>(system: &S, store: Option<T>, options: &Options<'_>) -> Outcome
where
    T::Key: Send,
{
    match store {
        Some(store) => search(system, store, options),
        None => {
            let bytes = options.limits.memory_bytes.unwrap_or(0);
            Outcome { limit: Some(Limit::MemoryBytes(bytes)), ..Outcome::default() }
        }
    }
}
