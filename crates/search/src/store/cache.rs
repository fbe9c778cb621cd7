//! The visited set of state-space caching: bounded memory, exact (Jard, Jéron: Bounded-memory
//! algorithms for verification on-the-fly, 1991; Godefroid, Holzmann, Pirottin: State-space caching
//! revisited, 1992).
//!
//! Only the states on the depth-first stack must be stored for the search to terminate. Other
//! states stay while there is room; then a new state evicts one of them, chosen by [`Replacement`].
//! An evicted state is new when it is reached again, so the verdict is exact and eviction costs
//! time. The cache is full when every state in it is on the stack.
//!
//! Each state has a sleep set: the successors that the search left to other paths
//! ([`crate::caching::sleep_sets`]). If the state is reached again with a smaller sleep set, the
//! missing successors have to be visited.
//!
//! States lie in slots, found through the chains of a hash table. The cache must not know what the
//! bits of a state mean, and is used by one thread.

mod replacement;

pub use replacement::Replacement;

use super::Revisits;
use super::distinct::DistinctEstimate;
use super::hash::Hasher;
use crate::tuning::caching::FIRST_SLOTS;
use replacement::Candidates;
use std::collections::HashMap;

/// A set of successors of a state, by index.
pub type SleepSet = u32;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The next slot in the chain of the hash table.
    chain: u32,
    /// Neighbours in a list of evictable slots. With random draws: the index among the evictable
    /// slots, and the time of the last visit.
    before: u32,
    after: u32,
    /// The position on the stack at which the state was entered.
    depth: u32,
    sleep_set: SleepSet,
    on_stack: bool,
}

/// How the cache answers when the search reaches a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheEntry {
    /// The state was not stored and is on the stack now.
    New {
        /// The sleep set with which the state was stored.
        sleep_set: SleepSet,
    },
    /// There is nothing to do.
    Known,
    /// The state was stored and is on the stack again, for the successors in `woken`.
    Again {
        /// The successors that were in the stored sleep set and are not in the new one.
        woken: SleepSet,
        /// The sleep set that is stored now: the intersection of the stored and the new one.
        sleep_set: SleepSet,
    },
    /// There is no room before [`Cache::grow`].
    Full,
}

/// A store of bounded size, which forgets states.
#[derive(Debug)]
pub struct Cache {
    hasher: Hasher,
    words: usize,
    /// The largest number of slots.
    limit: usize,
    slots: Vec<Slot>,
    states: Vec<u64>,
    capacity: usize,
    /// The first slot of each chain; the length is a power of two.
    chains: Vec<u32>,
    candidates: Candidates,
    /// The current length of the stack, and its largest length so far.
    stack: u32,
    longest_stack: u32,
    /// For states on the stack: successors that were woken since the state was entered.
    woken: HashMap<u32, SleepSet>,
    insertions: u64,
    reentries: u64,
    distinct: DistinctEstimate,
}

/// Memory per state.
pub(crate) fn bytes_per_state(identity_words: usize) -> u64 {
    (identity_words * 8 + size_of::<Slot>() + 4 + 2 * 4) as u64
}

impl Cache {
    /// A cache for at most `states` states.
    pub fn new(identity_words: usize, states: u64, replacement: Replacement, seed: u64) -> Cache {
        let limit = states.clamp(1, u64::from(NONE) - 1) as usize;
        let mut cache = Cache {
            hasher: Hasher::new(seed),
            words: identity_words,
            limit,
            slots: Vec::new(),
            states: Vec::new(),
            capacity: 0,
            chains: Vec::new(),
            candidates: Candidates::new(replacement, seed),
            stack: 0,
            longest_stack: 0,
            woken: HashMap::new(),
            insertions: 0,
            reentries: 0,
            distinct: DistinctEstimate::default(),
        };
        cache.resize(FIRST_SLOTS.min(limit));
        cache
    }

    /// Reaches a state with a sleep set.
    pub fn enter(&mut self, state: &[u64], sleep_set: SleepSet) -> CacheEntry {
        let hash = self.hasher.hash(state);
        if let Some(slot) = self.find(state, hash) {
            return self.enter_stored(slot, sleep_set);
        }
        let Some(slot) = self.add(state, hash) else { return CacheEntry::Full };
        let entry = &mut self.slots[slot as usize];
        (entry.depth, entry.sleep_set) = (self.stack, sleep_set);
        self.push(slot);
        CacheEntry::New { sleep_set }
    }

    fn enter_stored(&mut self, slot: u32, sleep_set: SleepSet) -> CacheEntry {
        let Slot { sleep_set: before, on_stack, .. } = self.slots[slot as usize];
        let (woken, sleep_set) = (before & !sleep_set, before & sleep_set);
        self.slots[slot as usize].sleep_set = sleep_set;
        match (woken, on_stack) {
            (0, true) => CacheEntry::Known,
            (0, false) => {
                self.candidates.touch(&mut self.slots, slot);
                CacheEntry::Known
            }
            (_, true) => {
                *self.woken.entry(slot).or_default() |= woken;
                CacheEntry::Known
            }
            (_, false) => {
                self.candidates.remove(&mut self.slots, slot);
                self.push(slot);
                self.reentries += 1;
                CacheEntry::Again { woken, sleep_set }
            }
        }
    }

    fn push(&mut self, slot: u32) {
        self.slots[slot as usize].on_stack = true;
        self.stack += 1;
        self.longest_stack = self.longest_stack.max(self.stack);
    }

    /// Takes the successors that were woken in a state on the stack since it was entered; with the
    /// state's sleep set.
    pub(crate) fn take_woken(&mut self, state: &[u64]) -> Option<(SleepSet, SleepSet)> {
        if self.woken.is_empty() {
            return None;
        }
        let slot = self.find(state, self.hasher.hash(state))?;
        let woken = self.woken.remove(&slot)?;
        Some((woken, self.slots[slot as usize].sleep_set))
    }

    /// Would reaching this state with this sleep set change nothing?
    pub(crate) fn knows(&self, state: &[u64], sleep_set: SleepSet) -> bool {
        let slot = self.find(state, self.hasher.hash(state));
        slot.is_some_and(|slot| self.slots[slot as usize].sleep_set & !sleep_set == 0)
    }

    /// Intersects the sleep set of a stored state with `remaining`.
    pub(crate) fn restrict_sleep_set(&mut self, state: &[u64], remaining: SleepSet) {
        if let Some(slot) = self.find(state, self.hasher.hash(state)) {
            self.slots[slot as usize].sleep_set &= remaining;
        }
    }

    /// Takes a state off the stack.
    pub fn leave(&mut self, state: &[u64]) {
        if let Some(slot) = self.find(state, self.hasher.hash(state))
            && self.slots[slot as usize].on_stack
        {
            self.slots[slot as usize].on_stack = false;
            self.stack -= 1;
            self.candidates.add(&mut self.slots, slot);
        }
    }

    /// Adds slots up to the limit if they fit into `memory_bytes`; otherwise the present number
    /// becomes the limit. `false` if there is still no room for a state.
    pub fn grow(&mut self, memory_bytes: u64) -> bool {
        let capacity = (self.capacity * 2).min(self.limit);
        let more = (capacity - self.capacity) as u64 * bytes_per_state(self.words);
        if capacity > self.capacity && self.memory_bytes() + more <= memory_bytes {
            self.resize(capacity);
            return true;
        }
        self.limit = self.capacity;
        self.candidates.choose(&self.slots).is_some()
    }

    /// The number of stored states.
    pub(crate) fn len(&self) -> u64 {
        self.slots.len() as u64
    }

    /// The memory of slots, states, hash table and replacement policy.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<Slot>()
            + self.states.capacity() * 8
            + self.chains.len() * 4
            + self.candidates.memory_bytes()) as u64
    }

    /// How many states were inserted, evicted and visited again so far.
    pub(crate) fn revisits(&self) -> Revisits {
        let replaced = self.insertions - self.slots.len() as u64;
        // Exact while nothing was evicted, an estimate afterwards.
        let distinct = if replaced == 0 {
            self.insertions
        } else {
            self.distinct.estimate().min(self.insertions)
        };
        Revisits {
            insertions: self.insertions,
            replaced,
            distinct,
            reentries: self.reentries,
            kept: u64::from(self.longest_stack),
        }
    }

    fn state(&self, slot: u32) -> &[u64] {
        &self.states[slot as usize * self.words..(slot as usize + 1) * self.words]
    }

    fn chain(&self, hash: u64) -> usize {
        hash as usize & (self.chains.len() - 1)
    }

    fn find(&self, state: &[u64], hash: u64) -> Option<u32> {
        let mut slot = self.chains[self.chain(hash)];
        while slot != NONE && self.state(slot) != state {
            slot = self.slots[slot as usize].chain;
        }
        (slot != NONE).then_some(slot)
    }

    fn resize(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.slots.reserve_exact(capacity - self.slots.len());
        self.states.reserve_exact(capacity * self.words - self.states.len());
        self.chains = vec![NONE; capacity.next_power_of_two()];
        for slot in 0..self.slots.len() as u32 {
            let chain = self.chain(self.hasher.hash(self.state(slot)));
            self.slots[slot as usize].chain = std::mem::replace(&mut self.chains[chain], slot);
        }
    }

    /// Stores a new state in a slot that is not evictable; `None` if there is no room.
    fn add(&mut self, state: &[u64], hash: u64) -> Option<u32> {
        let slot = if self.slots.len() < self.capacity {
            self.slots.push(Slot {
                chain: NONE,
                before: NONE,
                after: NONE,
                depth: 0,
                sleep_set: 0,
                on_stack: false,
            });
            self.states.extend_from_slice(state);
            self.slots.len() as u32 - 1
        } else if self.capacity == self.limit {
            let slot = self.candidates.choose(&self.slots)?;
            self.candidates.remove(&mut self.slots, slot);
            self.unchain(slot);
            let start = slot as usize * self.words;
            self.states[start..start + self.words].copy_from_slice(state);
            slot
        } else {
            return None;
        };
        let chain = self.chain(hash);
        self.slots[slot as usize].chain = std::mem::replace(&mut self.chains[chain], slot);
        self.insertions += 1;
        self.distinct.add(hash);
        Some(slot)
    }

    fn unchain(&mut self, slot: u32) {
        let after = self.slots[slot as usize].chain;
        let chain = self.chain(self.hasher.hash(self.state(slot)));
        if self.chains[chain] == slot {
            self.chains[chain] = after;
            return;
        }
        let mut before = self.chains[chain];
        while self.slots[before as usize].chain != slot {
            before = self.slots[before as usize].chain;
        }
        self.slots[before as usize].chain = after;
    }
}

#[cfg(test)]
mod tests;
