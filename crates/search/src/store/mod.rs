//! The visited set. Each store is one file or directory and one trade-off; its [`Guarantee`] limits
//! the claims of a search that uses it.
//!
//! Threads share a store through `&self`. Operations on the whole store (growing, translating to a
//! wider layout, saving) borrow it `&mut`, between the rounds of a search. A store must not know
//! the meaning of a state's bits.

mod bitstate;
mod cache;
mod compact;
mod distinct;
#[allow(unsafe_code)]
pub(crate) mod hash;
mod interned;
#[allow(unsafe_code)]
mod packed;
mod part;
pub(crate) mod prefetch;
mod quotient;
#[cfg(test)]
mod testing;

pub use bitstate::{Bitstate, DEFAULT_FUNCTIONS, MAX_FUNCTIONS};
pub(crate) use cache::bytes_per_state;
pub use cache::{Cache, CacheEntry, Replacement, SleepSet};
pub use compact::{Compact, DEFAULT_BITS};
pub use interned::Interned;
pub use packed::Packed;

/// The result of inserting a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// The state was added. If several threads insert the same state concurrently, exactly one of
    /// them gets this result, unless the store [omits](Store::OMITS) states.
    New,
    /// The store already held the state.
    Known,
    /// The store has no room for the state before [`Store::grow`], and may or may not hold it.
    Full,
}

/// The exactness of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Guarantee {
    /// Different states are never confused.
    #[default]
    Exact,
    /// Some states may have been confused with others and not visited.
    Omissions {
        /// The expected number. A store counts the states it confuses; a search adds those that
        /// are reachable only through them.
        expected: f64,
    },
}

/// Statistics of a store that forgets states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revisits {
    /// Insertions of states that the store did not hold.
    pub insertions: u64,
    /// States that were forgotten.
    pub replaced: u64,
    /// An estimate of the number of different states, with an error of about 1 %; the other
    /// insertions were revisits.
    pub distinct: u64,
    /// Visits of states that the store held, to explore successors that sleep sets had omitted.
    pub reentries: u64,
    /// The largest number of states that had to be kept at the same time.
    pub kept: u64,
}

/// A set of states, each a list of words of fixed length.
pub trait Store: Sync {
    /// A hash or similar, computed once, before the state is looked up, so that memory can be
    /// prefetched.
    type Key: Copy;

    /// May the store confuse different states and so omit some?
    const OMITS: bool = false;

    /// Does the store have a fixed size, and is it never full?
    const FIXED: bool = false;

    /// The key of a state.
    fn key(&self, state: &[u64]) -> Self::Key;

    /// Prefetches the memory that a lookup accesses first. Most effective for many keys in a row:
    /// a processor fetches several cache lines in parallel if little work lies between.
    #[inline]
    fn fetch(&self, _key: Self::Key) {}

    /// Adds a state. Precondition: `key` is the key of `state`, and the store has not grown since.
    fn insert(&self, state: &[u64], key: Self::Key) -> Insertion;

    /// [`insert`](Self::insert) for a single thread, perhaps faster.
    ///
    /// # Safety
    /// No other thread uses the store meanwhile.
    #[allow(unsafe_code)]
    #[inline]
    unsafe fn insert_alone(&self, state: &[u64], key: Self::Key) -> Insertion {
        self.insert(state, key)
    }

    /// Makes room for more states, with up to `threads` threads; `false` if the store would take
    /// more than `memory_bytes` or there is no memory. The stored states stay in any case.
    fn grow(&mut self, memory_bytes: u64, threads: usize) -> bool;

    /// The number of stored states.
    fn len(&self) -> u64;

    /// Does the store hold no state?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory of the store.
    fn memory_bytes(&self) -> u64;

    /// The exactness of a search with this store so far.
    fn guarantee(&self) -> Guarantee;

    /// Calls `visit` with every stored state; `false` if the store does not hold whole states.
    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool;

    /// An empty store of the same kind for states of `identity_words` words, with room for as many
    /// states as this one if that takes at most `memory_bytes`, else for few. `None` if there is
    /// no memory.
    fn emptied(&self, identity_words: usize, memory_bytes: u64) -> Option<Self>
    where
        Self: Sized;

    /// [`emptied`](Self::emptied) for states whose word `i` only ever has its lowest `bits[i]` bits
    /// set.
    fn emptied_for(&self, bits: &[u32], memory_bytes: u64) -> Option<Self>
    where
        Self: Sized,
    {
        self.emptied(bits.len(), memory_bytes)
    }

    /// Forgets all states and keeps the memory, for states of any width; `false` if the store does
    /// not support that.
    fn clear(&mut self) -> bool {
        false
    }

    /// This store cleared, or a small new one: two large stores never exist at the same time.
    fn into_emptied(mut self, bits: &[u32]) -> Option<Self>
    where
        Self: Sized,
    {
        if self.clear() { Some(self) } else { self.emptied_for(bits, 0) }
    }
}
