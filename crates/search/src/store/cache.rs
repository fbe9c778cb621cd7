//! State-space caching in bounded memory (Jard, Jéron: Bounded-memory algorithms for verification on-the-fly, 1991; Godefroid,
//! Holzmann, Pirottin: State-space caching revisited, 1992).
//!
//! Only the states on the depth-first stack must be remembered for the search to end. Others are kept while there is
//! room; then a new state replaces one of them, chosen by [`Replacement`]. A state that was replaced and is met again is
//! new again, and everything behind it is visited again, as far as it was replaced too. So the verdict is exact, and it is
//! time that pays for memory. When the stack alone fills the memory, the store is full.
//!
//! States lie in slots, found by chains from a hash table; slots whose states can be replaced are in lists in the order of
//! replacement. The search must be depth-first, in one thread, and say when it leaves a state.

use super::distinct::Distinct;
use super::hash::Hasher;
use super::{Guarantee, Insertion, Revisits, Store};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which state is replaced, of those that are not on the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// One between two layers of the stack that are kept: behind a state that was replaced, the search soon meets some
    /// that were not.
    ///
    /// If each state were forgotten with probability p, one that is met again would have p times its successors to be visited
    /// again, and so on behind them: the work explodes as soon as p times the number of successors is above 1. What is behind one that was
    /// forgotten from between two layers ends at the next layer.
    #[default]
    Layers,
    /// Any: what the paper found best.
    Random,
    /// The one that was not met for longest.
    LeastRecentlyUsed,
    /// One of those that were deepest on the stack: behind them is the least to visit again.
    Deepest,
}

const NONE: u32 = u32::MAX;
/// Every so many steps of the stack there is a layer that is kept.
const LAYERS: u32 = 4;
/// States that are looked at to replace one.
const CANDIDATES: usize = 16;
/// Slots to begin with.
const FIRST_SLOTS: usize = 1 << 10;
/// Depths that are told apart; deeper states are taken together.
const DEPTHS: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The next in the chain of the hash table.
    chain: u32,
    /// Neighbours in the list of states that can be replaced.
    before: u32,
    after: u32,
    /// How deep the state was entered.
    depth: u32,
    on_stack: bool,
}

/// A list of slots, the first to be replaced first.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

const EMPTY: List = List { first: NONE, last: NONE };

#[derive(Debug)]
struct Inner {
    words: usize,
    replacement: Replacement,
    /// Slots there may ever be.
    limit: usize,
    slots: Vec<Slot>,
    states: Vec<u64>,
    capacity: usize,
    /// The first slot of each chain; a power of two of them.
    chains: Vec<u32>,
    /// The states that can be replaced: by depth, or in the first list all.
    lists: Vec<List>,
    /// No list beyond has anything in it.
    deepest: usize,
    /// For replacement by lot: slots that can be replaced, and where each slot is among them.
    replaceable: Vec<u32>,
    place: Vec<u32>,
    on_stack: u32,
    random: u64,
    insertions: u64,
    distinct: Distinct,
}

#[derive(Debug)]
pub struct Cache {
    hasher: Hasher,
    inner: Mutex<Inner>,
}

/// Memory for one state.
pub fn bytes_per_state(identity_words: usize) -> u64 {
    (identity_words * 8 + size_of::<Slot>() + 2 * 4 + 2 * 4) as u64
}

impl Cache {
    /// A cache for at most `states` states.
    pub fn new(identity_words: usize, states: u64, replacement: Replacement, seed: u64) -> Cache {
        let limit = states.clamp(1, u64::from(NONE) - 1) as usize;
        let mut inner = Inner {
            words: identity_words,
            replacement,
            limit,
            slots: Vec::new(),
            states: Vec::new(),
            capacity: 0,
            chains: Vec::new(),
            lists: vec![EMPTY],
            deepest: 0,
            replaceable: Vec::new(),
            place: Vec::new(),
            on_stack: 0,
            random: seed,
            insertions: 0,
            distinct: Distinct::default(),
        };
        inner.resize(FIRST_SLOTS.min(limit), &Hasher::new(seed));
        Cache { hasher: Hasher::new(seed), inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn insert(&mut self, state: &[u64], hash: u64, hasher: &Hasher) -> Insertion {
        if let Some(slot) = self.find(state, hash) {
            if self.replacement == Replacement::LeastRecentlyUsed && !self.slots[slot as usize].on_stack {
                self.unlist(slot);
                self.list(slot);
            }
            return Insertion::Known;
        }
        let slot = if self.slots.len() < self.capacity {
            let empty = Slot { chain: NONE, before: NONE, after: NONE, depth: 0, on_stack: true };
            self.slots.push(empty);
            self.states.extend_from_slice(state);
            self.slots.len() as u32 - 1
        } else if let Some(slot) = (self.capacity == self.limit).then(|| self.victim()).flatten() {
            self.unlist(slot);
            self.unchain(slot, hasher.hash(self.state(slot)));
            let start = slot as usize * self.words;
            self.states[start..start + self.words].copy_from_slice(state);
            slot
        } else {
            return Insertion::Full;
        };
        let chain = self.chain(hash);
        let next = std::mem::replace(&mut self.chains[chain], slot);
        let entry = &mut self.slots[slot as usize];
        *entry = Slot { chain: next, depth: self.on_stack, on_stack: true, ..*entry };
        self.on_stack += 1;
        self.insertions += 1;
        self.distinct.add(hash);
        Insertion::New
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

    /// A state to replace.
    fn victim(&mut self) -> Option<u32> {
        match self.replacement {
            Replacement::Random => self.any(),
            Replacement::Layers => {
                let candidates: [Option<u32>; CANDIDATES] = std::array::from_fn(|_| self.any());
                let layer = |slot: &u32| self.slots[*slot as usize].depth % LAYERS;
                candidates.into_iter().flatten().max_by_key(layer)
            }
            Replacement::LeastRecentlyUsed => Some(self.lists[0].first).filter(|slot| *slot != NONE),
            Replacement::Deepest => {
                while self.deepest > 0 && self.lists[self.deepest].first == NONE {
                    self.deepest -= 1;
                }
                Some(self.lists[self.deepest].first).filter(|slot| *slot != NONE)
            }
        }
    }

    /// Any state that can be replaced.
    fn any(&mut self) -> Option<u32> {
        let count = self.replaceable.len() as u64;
        if count == 0 {
            return None;
        }
        self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        Some(self.replaceable[(((self.random >> 32) * count) >> 32) as usize])
    }

    fn is_by_lot(&self) -> bool {
        matches!(self.replacement, Replacement::Random | Replacement::Layers)
    }

    fn list_of(&self, slot: u32) -> usize {
        match self.replacement {
            Replacement::Deepest => (self.slots[slot as usize].depth as usize).min(DEPTHS - 1),
            _ => 0,
        }
    }

    /// The state can be replaced from now on.
    fn list(&mut self, slot: u32) {
        if self.is_by_lot() {
            if self.place.len() <= slot as usize {
                self.place.resize(slot as usize + 1, NONE);
            }
            self.place[slot as usize] = self.replaceable.len() as u32;
            self.replaceable.push(slot);
            return;
        }
        let list = self.list_of(slot);
        if self.lists.len() <= list {
            self.lists.resize(list + 1, EMPTY);
        }
        self.deepest = self.deepest.max(list);
        let last = std::mem::replace(&mut self.lists[list].last, slot);
        match last {
            NONE => self.lists[list].first = slot,
            last => self.slots[last as usize].after = slot,
        }
        let entry = &mut self.slots[slot as usize];
        entry.before = last;
        entry.after = NONE;
    }

    /// The state cannot be replaced, or is to be listed elsewhere. Precondition: it is in a list.
    fn unlist(&mut self, slot: u32) {
        if self.is_by_lot() {
            let place = self.place[slot as usize];
            self.replaceable.swap_remove(place as usize);
            if let Some(moved) = self.replaceable.get(place as usize) {
                self.place[*moved as usize] = place;
            }
            return;
        }
        let list = self.list_of(slot);
        let Slot { before, after, .. } = self.slots[slot as usize];
        match before {
            NONE => self.lists[list].first = after,
            before => self.slots[before as usize].after = after,
        }
        match after {
            NONE => self.lists[list].last = before,
            after => self.slots[after as usize].before = before,
        }
    }

    fn leave(&mut self, state: &[u64], hash: u64) {
        if let Some(slot) = self.find(state, hash)
            && self.slots[slot as usize].on_stack
        {
            self.slots[slot as usize].on_stack = false;
            self.on_stack -= 1;
            self.list(slot);
        }
    }

    fn memory_bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<Slot>()
            + self.states.capacity() * 8
            + (self.chains.len() + self.replaceable.capacity() + self.place.capacity()) * 4
            + self.lists.capacity() * size_of::<List>()) as u64
    }
}

impl Store for Cache {
    /// The hash value.
    type Key = u64;

    fn key(&self, state: &[u64]) -> u64 {
        self.hasher.hash(state)
    }

    fn insert(&self, state: &[u64], hash: u64) -> Insertion {
        self.inner().insert(state, hash, &self.hasher)
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
        inner.victim().is_some()
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
        Some(Revisits { insertions: inner.insertions, replaced, distinct })
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool {
        let inner = self.inner();
        for slot in 0..inner.slots.len() as u32 {
            visit(inner.state(slot));
        }
        inner.insertions == inner.slots.len() as u64
    }

    fn emptied(&self, identity_words: usize) -> Cache {
        let inner = self.inner();
        Cache::new(identity_words, inner.limit as u64, inner.replacement, inner.random)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, Random};
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const POLICIES: [Replacement; 4] =
        [Replacement::Layers, Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Deepest];

    /// A graph by successors.
    fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1usize..60)
            .prop_flat_map(|nodes| prop::collection::vec(prop::collection::vec(0..nodes, 0..3), nodes))
    }

    /// Depth-first from node 0: the nodes reached, and whether the stack did not fit.
    fn traverse(graph: &[Vec<usize>], cache: &mut Cache) -> (HashSet<usize>, bool) {
        let mut reached = HashSet::new();
        let mut stack: Vec<(usize, usize)> = Vec::new();
        let mut next = Some(0);
        let mut steps = 0;
        loop {
            if let Some(node) = next.take() {
                let state = [node as u64, 7];
                let inserted = loop {
                    match cache.insert(&state, cache.key(&state)) {
                        Insertion::Full if cache.grow(u64::MAX, 1) => {}
                        result => break result,
                    }
                };
                match inserted {
                    Insertion::New => {
                        assert!(!stack.iter().any(|(other, _)| *other == node), "the stack is sacred");
                        reached.insert(node);
                        stack.push((node, 0));
                    }
                    Insertion::Known => {}
                    Insertion::Full => return (reached, true),
                }
            }
            steps += 1;
            let Some((node, taken)) = stack.last_mut() else { return (reached, false) };
            // The paper's worst case is a factorial: enough is enough.
            if steps > 200_000 {
                return (reached, true);
            }
            if let Some(successor) = graph[*node].get(*taken) {
                *taken += 1;
                next = Some(*successor);
            } else {
                cache.leave(&[*node as u64, 7]);
                stack.pop();
            }
        }
    }

    proptest! {
        #[test]
        fn reaches_everything(graph in graph(), states in 1u64..40, policy in 0..POLICIES.len()) {
            let policy = POLICIES[policy];
            let (all, _) = traverse(&graph, &mut Cache::new(2, 1000, policy, 1));
            let mut cache = Cache::new(2, states, policy, 1);
            let (reached, gave_up) = traverse(&graph, &mut cache);
            prop_assert!(cache.len() <= states);
            if !gave_up {
                prop_assert_eq!(reached, all);
            }
        }
    }

    #[test]
    fn is_exact_while_there_is_room() {
        let states = testing::product(2, 20_000);
        let mut cache = Cache::new(2, 1 << 20, Replacement::Random, 0);
        assert_eq!(testing::insert_all(&mut cache, &states), 20_000);
        assert_eq!(testing::insert_all(&mut cache, &states), 0);
        let revisits = cache.revisits().expect("a cache counts");
        assert_eq!((revisits.insertions, revisits.replaced, revisits.distinct), (20_000, 0, 20_000));
    }

    #[test]
    fn replaces_by_policy() {
        for policy in POLICIES {
            let mut cache = Cache::new(1, 100, policy, 3);
            let mut random = Random(9);
            for _ in 0..10_000 {
                let state = [random.below(300)];
                if testing::insert(&mut cache, &state) {
                    cache.leave(&state);
                }
            }
            assert_eq!(cache.len(), 100);
            let revisits = cache.revisits().expect("a cache counts");
            assert_eq!(revisits.insertions - revisits.replaced, 100);
            assert!(revisits.distinct.abs_diff(300) < 10, "{revisits:?}");
        }
    }
}
