//! Where visited states are remembered. Each store is one file and one trade-off; [`Guarantee`] says what a search with it
//! may claim.
//!
//! Threads share a store through `&self`. What needs it whole (growing, translating to a wider layout, saving)
//! happens between rounds of the search, when it is borrowed `&mut`. A store must not know what the bits of a state mean.

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
pub use cache::{Cache, Replacement, bytes_per_state};
pub(crate) use cache::{Entry, Expected, Reached, Standing};
pub use compact::{Compact, DEFAULT_BITS};
pub use interned::Interned;
pub use packed::Packed;

/// What became of a state handed to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// It was not there, and is now. Of several threads that insert the same state at once, one is told so.
    New,
    Known,
    /// It may or may not be there; there is no room to add it before [`Store::grow`].
    Full,
}

/// What a store promises.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Guarantee {
    /// No state is mistaken for another.
    #[default]
    Exact,
    /// Some states may have been taken for others and not visited: how many, as far as can be expected. A store counts those it
    /// takes for others, a search also what is lost with them.
    Omissions { expected: f64 },
}

/// What a store that forgets states has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revisits {
    /// How often a state was new.
    pub insertions: u64,
    /// How many states were forgotten.
    pub replaced: u64,
    /// How many different states there were, within a percent or so; the other insertions were revisits.
    pub distinct: u64,
    /// How often a state that was there had to be entered again, for successors that had slept.
    pub reentries: u64,
    /// How many states had to be kept at the same time, at most.
    pub kept: u64,
}

impl Revisits {
    /// Together with what an attempt before did.
    pub(crate) fn after(&self, before: &Revisits) -> Revisits {
        Revisits {
            insertions: self.insertions + before.insertions,
            replaced: self.replaced + before.replaced,
            distinct: self.distinct.max(before.distinct),
            reentries: self.reentries + before.reentries,
            kept: self.kept.max(before.kept),
        }
    }
}

/// A set of states of `width.identity` words each.
pub trait Store: Sync {
    /// What finding a state needs: a hash or the like, computed once, early enough to fetch memory with it.
    type Key: Copy;

    /// May it take a state for another, and omit it?
    const OMITS: bool = false;

    /// Is it as large at first as it will ever be, and never full?
    const FIXED: bool = false;

    fn key(&self, state: &[u64]) -> Self::Key;

    /// Asks the processor to fetch the memory where the state would be. Best done for many keys in a row: a processor can
    /// wait for many lines at once, but only if there is little else to do between asking for them.
    #[inline]
    fn fetch(&self, _key: Self::Key) {}

    /// Precondition: `key` is that of `state`, and the store has not grown since.
    fn insert(&self, state: &[u64], key: Self::Key) -> Insertion;

    /// The same, perhaps faster.
    ///
    /// # Safety
    /// No other thread inserts a state meanwhile.
    #[allow(unsafe_code)]
    #[inline]
    unsafe fn insert_alone(&self, state: &[u64], key: Self::Key) -> Insertion {
        self.insert(state, key)
    }

    /// The search leaves this state, which it entered when it was new: it is no longer on the depth-first stack.
    fn leave(&self, _state: &[u64]) {}

    /// How many threads may share it; `None` if any number.
    fn max_threads(&self) -> Option<usize> {
        None
    }

    /// Does it forget states? Then a state that was forgotten is new again, and the search must be depth-first
    /// and say when it [leaves](Self::leave) a state.
    fn revisits(&self) -> Option<Revisits> {
        None
    }

    /// Makes room, with so many threads if they help; `false` if that would take more than `memory_bytes` for the store, which then is as before.
    fn grow(&mut self, memory_bytes: u64, threads: usize) -> bool;

    /// How many states are stored.
    fn len(&self) -> u64;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn memory_bytes(&self) -> u64;

    fn guarantee(&self) -> Guarantee;

    /// Calls `visit` with every stored state; `false` if the store does not have them any more.
    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool;

    /// An empty store of the same kind for states of another width, with room for as many states as this one has if that
    /// takes at most so many bytes, else for few. `None` if there is no memory for that.
    fn emptied(&self, identity_words: usize, memory_bytes: u64) -> Option<Self>
    where
        Self: Sized;

    /// The same, where of each word only so many of the lowest bits are ever set.
    fn emptied_for(&self, bits: &[u32], memory_bytes: u64) -> Option<Self>
    where
        Self: Sized,
    {
        self.emptied(bits.len(), memory_bytes)
    }

    /// Forgets all states and keeps its memory, for states of any width; `false` if it is not such a store.
    fn clear(&mut self) -> bool {
        false
    }

    /// A small one, or this one cleared: two large ones are never there at once.
    fn into_emptied(mut self, bits: &[u32]) -> Option<Self>
    where
        Self: Sized,
    {
        if self.clear() { Some(self) } else { self.emptied_for(bits, 0) }
    }
}
