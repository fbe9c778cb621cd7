//! Recoding the states of a store into another store, by several threads: one reads the states, all
//! translate and insert them.

use crate::store::{Insertion, Store};
use crate::threads;
use crate::tuning::reach::{INSERTION_BATCH_STATES, RECODING_WORDS};
use lariat_ir::budget::Budget;
use lariat_ir::layout::Recoder;
use lariat_ir::system::Width;
use std::thread;

/// A recoding in progress; later states are ignored once it has failed.
pub(super) struct Recoding<'a, T> {
    pub recoder: &'a Recoder,
    /// The widths of states in the old and in the new layout.
    pub from: Width,
    pub to: Width,
    /// The new store, and the most memory that it may take.
    pub store: T,
    pub memory_bytes: u64,
    pub threads: usize,
    pub budget: &'a Budget,
    /// Old states that are not recoded yet.
    pub waiting: Vec<u64>,
    pub failure: Option<Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The store was full and could not grow.
    Full,
    /// The budget is exhausted.
    Interrupted,
}

impl<T: Store> Recoding<'_, T> {
    /// Adds a state of the old layout.
    pub fn push(&mut self, state: &[u64]) {
        if self.failure.is_none() {
            self.waiting.extend_from_slice(state);
            if self.waiting.len() >= self.threads * RECODING_WORDS {
                self.flush();
            }
        }
    }

    /// Recodes the waiting states.
    pub fn flush(&mut self) {
        let words = self.from.identity;
        while self.failure.is_none() && !self.waiting.is_empty() {
            if self.budget.is_over() {
                self.failure = Some(Failure::Interrupted);
                break;
            }
            let states = (self.waiting.len() / words).div_ceil(self.threads);
            let parts: Vec<&[u64]> = self.waiting.chunks(states * words).collect();
            let ends = self.transfer_all(&parts);
            let is_full = ends.iter().any(|end| end.is_full);
            let left: Vec<u64> = parts
                .iter()
                .zip(&ends)
                .flat_map(|(part, end)| &part[end.words..])
                .copied()
                .collect();
            self.waiting = left;
            if is_full && !self.store.grow(self.memory_bytes, self.threads) {
                self.failure = Some(Failure::Full);
            }
        }
        self.waiting.clear();
    }

    /// Recodes each part by one thread. A part for which no thread can be started is left.
    fn transfer_all(&self, parts: &[&[u64]]) -> Vec<PartEnd> {
        thread::scope(|scope| {
            let others: Vec<_> = parts[1..]
                .iter()
                .map(|part| threads::start_small(scope, move || self.transfer(part)))
                .collect();
            let first = self.transfer(parts[0]);
            let others = others.into_iter().map(|thread| match thread {
                Ok(thread) => match thread.join() {
                    Ok(end) => end,
                    Err(panic) => std::panic::resume_unwind(panic),
                },
                Err(_) => PartEnd { words: 0, is_full: false },
            });
            [first].into_iter().chain(others).collect()
        })
    }

    /// Recodes states until the store is full.
    fn transfer(&self, part: &[u64]) -> PartEnd {
        let (own, other) = (self.from.identity, self.to.identity);
        // Words outside the identity are not stored.
        let mut old = vec![0; self.from.all];
        let mut next = Vec::new();
        let mut recoded = Vec::with_capacity(INSERTION_BATCH_STATES * other);
        let mut done = 0;
        for batch in part.chunks(INSERTION_BATCH_STATES * own) {
            recoded.clear();
            for state in batch.chunks_exact(own) {
                old[..own].copy_from_slice(state);
                self.recoder.recode(&old, &mut next);
                recoded.extend_from_slice(&next[..other]);
            }
            let states = recoded.chunks_exact(other);
            let keys: Vec<T::Key> = states.clone().map(|state| self.store.key(state)).collect();
            keys.iter().for_each(|&key| self.store.fetch(key));
            for (state, key) in states.zip(keys) {
                if self.store.insert(state, key) == Insertion::Full {
                    return PartEnd { words: done, is_full: true };
                }
                done += own;
            }
        }
        PartEnd { words: done, is_full: false }
    }
}

/// The part that a thread has done.
struct PartEnd {
    words: usize,
    is_full: bool,
}
