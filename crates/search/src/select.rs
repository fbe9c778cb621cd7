//! The one place where the name of a store becomes a store.

use crate::outcome::Outcome;
use crate::rounds::{search, search_compressing};
use crate::runs::repeated;
use crate::store::{
    Bitstate, Cache, Compact, DEFAULT_BITS, DEFAULT_FUNCTIONS, Interned, Packed, Replacement, Store,
};
use crate::{Limit, Options, external, stack};
use model::System;
use std::path::PathBuf;

/// Which store remembers the visited states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// Exact: `Packed` while there is memory for it, then `Interned`; that from the start for wide states.
    #[default]
    Automatic,
    /// Exact, the packed states themselves.
    Packed,
    /// Exact, parts of states stored once.
    Interned,
    /// A hash value of each state, of so many bits.
    Compact { bits: u32, seed: u64 },
    /// So many bits of an array of so many bytes for each state.
    Bitstate { functions: u32, bytes: Option<u64>, seed: u64 },
    /// As many states as fit, or so many; depth-first in one thread, by few ways into each state if there are to be sleep sets.
    Cache { states: Option<u64>, replacement: Replacement, sleep_sets: bool, seed: u64 },
    /// Exact, in files in a directory; breadth-first in one thread.
    Disk { directory: PathBuf },
}

impl StoreKind {
    pub fn compact() -> StoreKind {
        StoreKind::Compact { bits: DEFAULT_BITS, seed: 0 }
    }

    pub fn bitstate() -> StoreKind {
        StoreKind::Bitstate { functions: DEFAULT_FUNCTIONS, bytes: None, seed: 0 }
    }

    /// The same with other hash functions, where there are any.
    pub fn reseeded(&self, by: u64) -> StoreKind {
        let mut kind = self.clone();
        match &mut kind {
            StoreKind::Compact { seed, .. }
            | StoreKind::Bitstate { seed, .. }
            | StoreKind::Cache { seed, .. } => {
                *seed = seed.wrapping_add(by);
            }
            StoreKind::Automatic | StoreKind::Packed | StoreKind::Interned | StoreKind::Disk { .. } => {}
        }
        kind
    }
}

/// States of more words than this are compressed from the start: moving them takes longer than taking them apart.
const WIDE_WORDS: usize = 16;
/// Room for so many states at the start if nothing is known about them: a page costs nothing until it is used; growing does.
const FIRST_STATES: u64 = 20_000;
/// With less memory than this the store starts small.
const AMPLE_BYTES: u64 = 64 << 20;
/// The array of bits, if nothing is said about memory.
const ARRAY_BYTES: u64 = 1 << 30;
/// States whose predecessors are noted, for stores that take little memory.
const NOTED_STATES: u64 = 1 << 16;
/// The cache, if nothing is said about memory.
const CACHE_BYTES: u64 = 1 << 30;

/// Visits the reachable states of `system` and reports every error met on the way.
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
    // Who asks for little memory has none for a long list of predecessors.
    let frugal = Options { join_after: options.join_after.or(Some(NOTED_STATES)), ..options.clone() };
    match &options.store {
        StoreKind::Automatic if bits.len() <= WIDE_WORDS => match Packed::new(&bits, room) {
            Some(store) => search_compressing(system, store, options),
            None => start(system, None::<Packed>, options),
        },
        StoreKind::Packed => start(system, Packed::new(&bits, room), options),
        StoreKind::Automatic | StoreKind::Interned => start(system, Some(Interned::new(bits.len())), &frugal),
        StoreKind::Compact { bits, seed } => start(system, Some(Compact::new(*bits, *seed)), &frugal),
        StoreKind::Bitstate { functions, bytes, seed } => {
            // Others need memory too: the states that wait, above all.
            let most = memory.map_or(ARRAY_BYTES, |memory| memory / 4 * 3);
            let bytes = bytes.unwrap_or(ARRAY_BYTES).min(most);
            start(system, Bitstate::new(bytes, *functions, *seed), &frugal)
        }
        StoreKind::Cache { states, replacement, sleep_sets, seed } => {
            stack::search(system, options, *sleep_sets, |system| {
                let words = system.width().identity;
                let fitting = memory.map_or(CACHE_BYTES, |memory| memory / 4 * 3)
                    / crate::store::bytes_per_state(words);
                Cache::new(words, states.unwrap_or(fitting), *replacement, *seed)
            })
        }
        StoreKind::Disk { directory } => external::search(system, options, directory),
    }
}

/// Searches with a store, if there was memory to make one.
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
