//! Inserting many states at once: the store prefetches the memory for all of them before it
//! inserts the first.

use crate::store::{Insertion, Store};
use crate::tuning::reach::INSERTION_BATCH_STATES;

#[derive(Debug)]
pub(crate) struct InsertionBatch<Key> {
    /// The number of words that distinguish a state from others.
    identity: usize,
    /// The next state; words beyond the identity are ignored.
    pub next: Vec<u64>,
    states: Vec<u64>,
    keys: Vec<Key>,
    /// The store was full and could not grow; later states are discarded.
    is_store_full: bool,
}

impl<Key: Copy> InsertionBatch<Key> {
    pub fn new(identity: usize) -> InsertionBatch<Key> {
        InsertionBatch {
            identity,
            next: Vec::new(),
            states: Vec::new(),
            keys: Vec::new(),
            is_store_full: false,
        }
    }

    /// Whether the store was full and could not grow. States that are added later are discarded.
    pub fn is_store_full(&self) -> bool {
        self.is_store_full
    }

    /// Adds `next`; whether the batch is full.
    pub fn push(&mut self) -> bool {
        if self.is_store_full {
            return false;
        }
        self.states.extend_from_slice(&self.next[..self.identity]);
        self.states.len() >= INSERTION_BATCH_STATES * self.identity
    }

    /// Inserts all states, calling `grow` when the store is full.
    pub fn insert<T: Store<Key = Key>>(
        &mut self,
        store: &mut T,
        grow: &mut dyn FnMut(&mut T) -> bool,
    ) {
        let mut first = 0;
        while first < self.states.len() {
            let states = self.states[first..].chunks_exact(self.identity);
            self.keys.clear();
            self.keys.extend(states.clone().map(|state| store.key(state)));
            self.keys.iter().for_each(|&key| store.fetch(key));
            let inserted = states
                .zip(&self.keys)
                .take_while(|(state, key)| store.insert(state, **key) != Insertion::Full);
            first += inserted.count() * self.identity;
            if first < self.states.len() && !grow(store) {
                self.is_store_full = true;
                break;
            }
        }
        self.states.clear();
    }
}
