//! State-space caching in bounded memory (Jard, Jéron: Bounded-memory algorithms for verification on-the-fly, 1991; Godefroid,
//! Holzmann, Pirottin: State-space caching revisited, 1992).
//!
//! Only the states on the depth-first stack must be remembered for the search to end. Others are kept while there is
//! room; then a new state replaces one of them, chosen by [`Replacement`]. A state that was replaced and is met again is
//! new again, and everything behind it is visited again, as far as it was replaced too. So the verdict is exact, and it is
//! time that pays for memory. When the stack has its share of the memory, what is new is put off ([`crate::put_off`]) and kept until it is entered. When
//! what must be kept fills the memory, the store is full.
//!
//! With a state is kept which of its successors *sleep*: those that the search has left to other ways ([`crate::sleep`]). If fewer sleep when it is
//! met again, it must be entered again for the others; if it is on the stack, they are visited when the search comes back to it, which takes no
//! expansion.
//!
//! States lie in slots, found by chains from a hash table; slots whose states can be replaced are in lists in the order of
//! replacement. The search must be depth-first, in one thread, and say when it leaves a state.

mod replacement;

pub(crate) use replacement::Expected;
pub use replacement::Replacement;

use super::distinct::Distinct;
use super::hash::Hasher;
use super::{Guarantee, Insertion, Revisits, Store};
use crate::sleep::Asleep;
use replacement::Candidates;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

const NONE: u32 = u32::MAX;
/// In a slot, as its depth: the state was not entered yet, and is kept until it is.
const PUT_OFF: u32 = u32::MAX;
/// Of the slots that the stack can have, one in so many is left to what is put off, and to what can be replaced.
const FOR_OTHERS: usize = 4;
/// Slots to begin with.
const FIRST_SLOTS: usize = 1 << 10;

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The next in the chain of the hash table.
    chain: u32,
    /// Neighbours in the list of states that can be replaced; for replacement by lot, its place among them, and when it was met last.
    before: u32,
    after: u32,
    /// How deep the state was entered, or [`PUT_OFF`]. In a search by levels: how much it is worth, when it was expanded ([`Expected::worth`]).
    depth: u32,
    /// Which of its successors sleep. In a search by levels: how often it was met.
    asleep: Asleep,
    /// It is on the stack, or in a search by levels, it waits.
    open: bool,
    /// It was resumed, and is kept until it is released.
    held: bool,
}

impl Slot {
    /// In a search by levels: how often the state was met.
    fn met(&mut self) -> &mut u32 {
        &mut self.asleep
    }

    fn is_kept(&self) -> bool {
        self.open || self.held || self.depth == PUT_OFF
    }
}

/// What became of a state that the search comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It is on the stack now, for the first time since it was met or forgotten; `asleep` sleep.
    New {
        asleep: Asleep,
    },
    Known,
    /// It was not there, and is now, in this slot, but the stack is as long as it may be: it is kept until [`Cache::resume`]. So deep it would
    /// have been entered.
    PutOff {
        slot: u32,
        layer: u32,
    },
    /// It was there, and is on the stack again: successors `woken` have to be visited, while `asleep` sleep.
    Again {
        woken: Asleep,
        asleep: Asleep,
    },
    /// There is no room to add it before [`Store::grow`].
    Full,
}

/// What became of a state that a search by levels ([`crate::levels`]) comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// It was not there, and waits now in this slot.
    New {
        slot: u32,
    },
    Known,
    /// There is no room to add it before [`Store::grow`].
    Full,
}

/// How a search by levels stands to a state that it has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It waits in this slot, and was met so often.
    Waits { slot: u32, met: u32 },
    /// It was expanded.
    Expanded,
}

#[derive(Debug)]
struct Inner {
    words: usize,
    /// Slots there may ever be.
    limit: usize,
    slots: Vec<Slot>,
    states: Vec<u64>,
    capacity: usize,
    /// The first slot of each chain; a power of two of them.
    chains: Vec<u32>,
    candidates: Candidates,
    /// How long the stack is, and how deep its first state is.
    on_stack: u32,
    base: u32,
    /// Of states on the stack, what was woken since they were entered.
    woken: HashMap<u32, Asleep>,
    /// Slots that cannot be replaced; and the most there ever were.
    kept: usize,
    most_kept: usize,
    /// Those of them that are not on the stack.
    aside: usize,
    /// How often the stack's share is halved.
    halved: u32,
    insertions: u64,
    reentries: u64,
    distinct: Distinct,
}

#[derive(Debug)]
pub struct Cache {
    hasher: Hasher,
    inner: Mutex<Inner>,
}

/// Memory for one state.
pub fn bytes_per_state(identity_words: usize) -> u64 {
    (identity_words * 8 + size_of::<Slot>() + 4 + 2 * 4) as u64
}

impl Cache {
    /// A cache for at most `states` states.
    pub fn new(identity_words: usize, states: u64, replacement: Replacement, seed: u64) -> Cache {
        let limit = states.clamp(1, u64::from(NONE) - 1) as usize;
        let mut inner = Inner {
            words: identity_words,
            limit,
            slots: Vec::new(),
            states: Vec::new(),
            capacity: 0,
            chains: Vec::new(),
            candidates: Candidates::new(replacement, seed),
            on_stack: 0,
            base: 0,
            woken: HashMap::new(),
            kept: 0,
            most_kept: 0,
            aside: 0,
            halved: 0,
            insertions: 0,
            reentries: 0,
            distinct: Distinct::default(),
        };
        inner.resize(FIRST_SLOTS.min(limit), &Hasher::new(seed));
        Cache { hasher: Hasher::new(seed), inner: Mutex::new(inner) }
    }

    /// The same for a stack whose share of the room is halved so often.
    pub(crate) fn with_stack_halved(mut self, times: u32) -> Cache {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner).halved = times;
        self
    }

    /// The same, empty, for a search by levels.
    pub(crate) fn by_levels(self) -> Cache {
        let inner = self.inner();
        Cache::new(inner.words, inner.limit as u64, Replacement::Met, inner.candidates.random)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Comes to a state while these of its successors sleep. If the stack is long, the state is put off if it `may_wait`. Precondition: `hash` is
    /// the key of `state`.
    pub(crate) fn enter(&self, state: &[u64], hash: u64, asleep: Asleep, may_wait: bool) -> Entry {
        self.inner().enter(state, hash, asleep, may_wait, &self.hasher)
    }

    /// Enters what was put off in this slot, unless that has been done: the state, and what sleeps. It is kept until
    /// [`Cache::release`] even when it has been left.
    ///
    /// It is as deep as if it had not been put off, so that the layers ([`Replacement::Layers`]) behind it are the same.
    pub(crate) fn resume(&self, slot: u32, layer: u32) -> Option<(Vec<u64>, Asleep)> {
        self.inner().resume(slot, layer)
    }

    /// What was resumed need not be kept any more.
    pub(crate) fn release(&self, slot: u32) {
        let mut inner = self.inner();
        inner.aside -= 1;
        inner.slots[slot as usize].held = false;
        inner.free(slot);
    }

    /// What has to be visited of a state on the stack because it was met again with less asleep, and what sleeps on.
    pub(crate) fn woken(&self, state: &[u64], hash: u64) -> Option<(Asleep, Asleep)> {
        let mut inner = self.inner();
        if inner.woken.is_empty() {
            return None;
        }
        let slot = inner.find(state, hash)?;
        let woken = inner.woken.remove(&slot)?;
        Some((woken, inner.slots[slot as usize].asleep))
    }

    /// Comes to a state in a search by levels, from another state unless it is initial. If it is new, it is kept until it is [expanded](Cache::expanded).
    /// Before a state is replaced for it, it is asked how often that one is `expected` in all: meanwhile that may be more.
    pub(crate) fn reach(
        &self,
        state: &[u64],
        hash: u64,
        from_another: bool,
        expected: impl Fn(&[u64]) -> Expected,
    ) -> Reached {
        let mut inner = self.inner();
        if let Some(slot) = inner.find(state, hash) {
            inner.meet_again(slot);
            return Reached::Known;
        }
        inner.expect(expected);
        let Some(slot) = inner.add(state, hash, &self.hasher) else { return Reached::Full };
        let entry = &mut inner.slots[slot as usize];
        entry.open = true;
        *entry.met() = u32::from(from_another);
        Reached::New { slot }
    }

    /// In a search by levels, a state is met from one more state, if it is there: is it?
    pub(crate) fn meet(&self, state: &[u64], hash: u64) -> bool {
        let mut inner = self.inner();
        let slot = inner.find(state, hash);
        slot.into_iter().for_each(|slot| inner.meet_again(slot));
        slot.is_some()
    }

    /// How does a search by levels stand to this state? Nothing if it is not there.
    pub(crate) fn standing(&self, state: &[u64], hash: u64) -> Option<Standing> {
        let inner = self.inner();
        let slot = inner.find(state, hash)?;
        let Slot { open, asleep: met, .. } = inner.slots[slot as usize];
        Some(if open { Standing::Waits { slot, met } } else { Standing::Expanded })
    }

    /// The state that waits in this slot.
    pub(crate) fn waiting(&self, slot: u32) -> Vec<u64> {
        self.inner().state(slot).to_vec()
    }

    /// All successors of what waited in this slot were reached. It is expected to be met so often in all.
    pub(crate) fn expanded(&self, slot: u32, expected: u32) {
        let mut inner = self.inner();
        let entry = &mut inner.slots[slot as usize];
        // Doubts are looked at when it is about to be replaced.
        entry.depth = Expected { times: expected, ..Expected::default() }.worth(*entry.met());
        entry.open = false;
        inner.free(slot);
    }

    /// Was a state replaced, so that it may be visited again?
    pub(crate) fn has_forgotten(&self) -> bool {
        let inner = self.inner();
        inner.insertions > inner.slots.len() as u64
    }

    /// Is it the default by which states are replaced?
    pub(crate) fn replaces_by_default(&self) -> bool {
        self.inner().candidates.policy == Replacement::default()
    }

    /// Is this state there, so that meeting it while these sleep would change nothing?
    pub(crate) fn knows(&self, state: &[u64], hash: u64, asleep: Asleep) -> bool {
        let inner = self.inner();
        inner.find(state, hash).is_some_and(|slot| inner.slots[slot as usize].asleep & !asleep == 0)
    }

    /// Only these go on sleeping in a state that is there.
    pub(crate) fn wake(&self, state: &[u64], hash: u64, asleep: Asleep) {
        let mut inner = self.inner();
        if let Some(slot) = inner.find(state, hash) {
            inner.slots[slot as usize].asleep &= asleep;
        }
    }
}

impl Inner {
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

    fn resize(&mut self, capacity: usize, hasher: &Hasher) {
        self.capacity = capacity;
        self.slots.reserve_exact(capacity - self.slots.len());
        self.states.reserve_exact(capacity * self.words - self.states.len());
        self.chains = vec![NONE; capacity.next_power_of_two()];
        for slot in 0..self.slots.len() as u32 {
            let chain = self.chain(hasher.hash(self.state(slot)));
            self.slots[slot as usize].chain = std::mem::replace(&mut self.chains[chain], slot);
        }
    }

    /// Puts a state that is not there into a slot, where it is kept; nothing if there is no room.
    fn add(&mut self, state: &[u64], hash: u64, hasher: &Hasher) -> Option<u32> {
        let slot = if self.slots.len() < self.capacity {
            let (chain, before, after) = (NONE, NONE, NONE);
            self.slots.push(Slot { chain, before, after, depth: 0, asleep: 0, open: false, held: false });
            self.states.extend_from_slice(state);
            self.slots.len() as u32 - 1
        } else if let Some(slot) =
            (self.capacity == self.limit).then(|| self.candidates.victim(&self.slots)).flatten()
        {
            self.candidates.unlist(&mut self.slots, slot);
            self.unchain(slot, hasher.hash(self.state(slot)));
            let start = slot as usize * self.words;
            self.states[start..start + self.words].copy_from_slice(state);
            slot
        } else {
            return None;
        };
        let chain = self.chain(hash);
        self.slots[slot as usize].chain = std::mem::replace(&mut self.chains[chain], slot);
        self.keep();
        self.insertions += 1;
        self.distinct.add(hash);
        Some(slot)
    }

    /// In a search by levels, a state that is there is met.
    fn meet_again(&mut self, slot: u32) {
        *self.slots[slot as usize].met() += 1;
        if !self.slots[slot as usize].open {
            self.candidates.met(&mut self.slots, slot);
        }
    }

    /// In a search by levels, sees to it that what is replaced next is not worth more than is noted.
    fn expect(&mut self, expected: impl Fn(&[u64]) -> Expected) {
        while self.slots.len() == self.limit
            && let Some(slot) = self.candidates.victim(&self.slots)
        {
            let expected = expected(self.state(slot));
            let entry = &mut self.slots[slot as usize];
            let worth = expected.worth(*entry.met());
            if worth <= entry.depth {
                return;
            }
            self.candidates.unlist(&mut self.slots, slot);
            self.slots[slot as usize].depth = worth;
            self.candidates.list(&mut self.slots, slot);
        }
    }

    fn enter(&mut self, state: &[u64], hash: u64, asleep: Asleep, may_wait: bool, hasher: &Hasher) -> Entry {
        if let Some(slot) = self.find(state, hash) {
            return self.meet(slot, asleep, may_wait);
        }
        let Some(slot) = self.add(state, hash, hasher) else { return Entry::Full };
        let entry = &mut self.slots[slot as usize];
        (entry.depth, entry.asleep) = (PUT_OFF, asleep);
        self.aside += 1;
        if may_wait && self.is_long() {
            return Entry::PutOff { slot, layer: self.base + self.on_stack };
        }
        self.begin(slot);
        Entry::New { asleep }
    }

    /// Is the stack as long as it may be?
    fn is_long(&self) -> bool {
        let (stack, room) = (self.kept - self.aside, self.limit - self.aside);
        stack >= ((room - room / FOR_OTHERS) >> self.halved).max(1)
    }

    /// What was put off goes on the stack.
    fn begin(&mut self, slot: u32) {
        self.aside -= 1;
        let entry = &mut self.slots[slot as usize];
        entry.open = true;
        entry.depth = self.base + self.on_stack;
        self.on_stack += 1;
    }

    fn resume(&mut self, slot: u32, layer: u32) -> Option<(Vec<u64>, Asleep)> {
        if self.slots[slot as usize].depth != PUT_OFF {
            return None;
        }
        self.base = layer;
        self.begin(slot);
        self.slots[slot as usize].held = true;
        self.aside += 1;
        Some((self.state(slot).to_vec(), self.slots[slot as usize].asleep))
    }

    /// One more slot cannot be replaced.
    fn keep(&mut self) {
        self.kept += 1;
        self.most_kept = self.most_kept.max(self.kept);
    }

    /// There is one reason less to keep a state.
    fn free(&mut self, slot: u32) {
        if !self.slots[slot as usize].is_kept() {
            self.kept -= 1;
            self.candidates.list(&mut self.slots, slot);
        }
    }

    /// A state that is there is met again.
    fn meet(&mut self, slot: u32, asleep: Asleep, may_wait: bool) -> Entry {
        let Slot { asleep: before, open, depth, .. } = self.slots[slot as usize];
        let is_kept = self.slots[slot as usize].is_kept();
        let woken = before & !asleep;
        self.slots[slot as usize].asleep = before & asleep;
        if depth == PUT_OFF {
            if may_wait && self.is_long() {
                return Entry::Known;
            }
            self.begin(slot);
            return Entry::New { asleep: before & asleep };
        }
        if woken != 0 && open {
            *self.woken.entry(slot).or_default() |= woken;
            return Entry::Known;
        }
        if woken != 0 {
            if !is_kept {
                self.candidates.unlist(&mut self.slots, slot);
                self.keep();
            }
            self.slots[slot as usize].open = true;
            self.on_stack += 1;
            self.reentries += 1;
            return Entry::Again { woken, asleep: before & asleep };
        }
        if !is_kept {
            self.candidates.met(&mut self.slots, slot);
        }
        Entry::Known
    }

    fn unchain(&mut self, slot: u32, hash: u64) {
        let after = self.slots[slot as usize].chain;
        let chain = self.chain(hash);
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

    fn leave(&mut self, state: &[u64], hash: u64) {
        if let Some(slot) = self.find(state, hash)
            && self.slots[slot as usize].open
        {
            self.slots[slot as usize].open = false;
            self.on_stack -= 1;
            if self.on_stack == 0 {
                self.base = 0;
            }
            self.free(slot);
        }
    }

    fn memory_bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<Slot>()
            + self.states.capacity() * 8
            + self.chains.len() * 4
            + self.candidates.memory_bytes()) as u64
    }
}

impl Store for Cache {
    /// The hash value.
    type Key = u64;

    fn key(&self, state: &[u64]) -> u64 {
        self.hasher.hash(state)
    }

    /// With nothing asleep, so that no state has to be entered again.
    fn insert(&self, state: &[u64], hash: u64) -> Insertion {
        match self.enter(state, hash, 0, false) {
            Entry::New { .. } => Insertion::New,
            Entry::Full => Insertion::Full,
            Entry::Known | Entry::Again { .. } | Entry::PutOff { .. } => Insertion::Known,
        }
    }

    fn leave(&self, state: &[u64]) {
        let hash = self.hasher.hash(state);
        self.inner().leave(state, hash);
    }

    fn max_threads(&self) -> Option<usize> {
        Some(1)
    }

    /// More slots, up to the limit. When there is no memory for more, the limit is where we are.
    fn grow(&mut self, memory_bytes: u64, _: usize) -> bool {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        let capacity = (inner.capacity * 2).min(inner.limit);
        let more = (capacity - inner.capacity) as u64 * bytes_per_state(inner.words);
        if capacity > inner.capacity && inner.memory_bytes() + more <= memory_bytes {
            inner.resize(capacity, &self.hasher);
            return true;
        }
        inner.limit = inner.capacity;
        inner.candidates.victim(&inner.slots).is_some()
    }

    fn len(&self) -> u64 {
        self.inner().slots.len() as u64
    }

    fn memory_bytes(&self) -> u64 {
        self.inner().memory_bytes()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }

    fn revisits(&self) -> Option<Revisits> {
        let inner = self.inner();
        let replaced = inner.insertions - inner.slots.len() as u64;
        // While nothing was replaced the number is known; afterwards it is an estimate.
        let distinct =
            if replaced == 0 { inner.insertions } else { inner.distinct.estimate().min(inner.insertions) };
        Some(Revisits {
            insertions: inner.insertions,
            replaced,
            distinct,
            reentries: inner.reentries,
            kept: inner.most_kept as u64,
        })
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool {
        let inner = self.inner();
        for slot in 0..inner.slots.len() as u32 {
            visit(inner.state(slot));
        }
        inner.insertions == inner.slots.len() as u64
    }

    fn emptied(&self, identity_words: usize, _memory_bytes: u64) -> Option<Cache> {
        let inner = self.inner();
        Some(Cache::new(identity_words, inner.limit as u64, inner.candidates.policy, inner.candidates.random))
    }
}

#[cfg(test)]
mod tests;
