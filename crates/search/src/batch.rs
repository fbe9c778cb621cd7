//! Many states that are handed to a store at once: it fetches the memory for all of them before it looks at any.

use crate::store::{Insertion, Store};

/// How many: enough to hide the latency of memory.
const SIZE: usize = 128;

#[derive(Debug)]
pub(crate) struct Batch<Key> {
    /// The words of a state that tell it from others.
    identity: usize,
    /// The next state; words beyond those of the identity do not matter.
    pub next: Vec<u64>,
    states: Vec<u64>,
    keys: Vec<Key>,
}

impl<Key: Copy> Batch<Key> {
    pub fn new(identity: usize) -> Batch<Key> {
        Batch { identity, next: Vec::new(), states: Vec::new(), keys: Vec::new() }
    }

    /// Adds `next`; is it time to insert?
    pub fn push(&mut self) -> bool {
        self.states.extend_from_slice(&self.next[..self.identity]);
        self.states.len() >= SIZE * self.identity
    }

    /// Hands all states to the store, which grows when it must; `false` if it could not.
    pub fn insert<T: Store<Key = Key>>(
        &mut self,
        store: &mut T,
        grow: &mut dyn FnMut(&mut T) -> bool,
    ) -> bool {
        let mut first = 0;
        while first < self.states.len() {
            let states = self.states[first..].chunks_exact(self.identity);
            self.keys.clear();
            self.keys.extend(states.clone().map(|state| store.key(state)));
            self.keys.iter().for_each(|&key| store.fetch(key));
            let done = states
                .zip(&self.keys)
                .take_while(|(state, key)| store.insert(state, **key) != Insertion::Full);
            first += done.count() * self.identity;
            if first < self.states.len() && !grow(store) {
                return false;
            }
        }
        self.states.clear();
        true
    }
}
