//! Switching from packed to interned states.
//!
//! Narrow packed states are found fastest; wide interned states take a fraction of the memory,
//! never move, and cost what changes from one to the next. By default a search begins with packed
//! states. Before the table grows, wide states are copied to an interned store to measure the
//! memory that they take there; if it is much less, the search continues with that store. Otherwise
//! the packed states are moved when they fill the memory, segment by segment, so that the two
//! stores never exist in full at the same time.

use super::ParallelSearch;
use crate::limits::Limit;
use crate::reach::batch::InsertionBatch;
use crate::reach::work_pool::StopSignal;
use crate::reach::worker::Worker;
use crate::store::{Interned, Packed, Store};
use crate::tuning::reach::{COMPRESSIBLE_SHARE, INTERNING_SAVING, INTERNING_WORDS};
use lariat_ir::system::System;

impl<'a, S: System> ParallelSearch<'a, S, Packed> {
    /// Whether the search ended because the states filled the memory.
    pub(in crate::reach::rounds) fn would_compress(&self) -> bool {
        match self.signal.limit() {
            Some(Limit::MemoryBytes(bytes)) => {
                self.store.memory_bytes() > bytes / COMPRESSIBLE_SHARE
            }
            _ => false,
        }
    }

    /// Continues with the memory that was reserved for compression, if the memory limit ended the
    /// search and something else than the states fills the memory.
    pub(in crate::reach::rounds) fn continue_without_reserve(&mut self) {
        self.meter.reserve(0);
        self.pause_states = u64::MAX;
        if matches!(self.signal.limit(), Some(Limit::MemoryBytes(_))) {
            self.signal = StopSignal::default();
            self.run();
        }
    }

    /// An interned store with the same states, if states are wide and it takes much less memory.
    /// Precondition: a packed store that is about to grow, and so is full.
    pub(in crate::reach::rounds) fn smaller_store(&self) -> Option<Interned> {
        let words = self.system.get().width().identity;
        if words < INTERNING_WORDS {
            return None;
        }
        let room = self.store.memory_bytes() / INTERNING_SAVING;
        let mut store = Interned::new(words)?;
        let mut batch = InsertionBatch::new(words);
        let budget = self.options.limits.budget;
        let mut add = |batch: &mut InsertionBatch<_>| {
            batch.insert(&mut store, &mut |store: &mut Interned| store.grow(room, 1));
        };
        self.store.for_each(&mut |state| {
            if budget.is_over() || batch.is_store_full() {
                return;
            }
            batch.next.clear();
            batch.next.extend_from_slice(state);
            if batch.push() {
                add(&mut batch);
            }
        });
        add(&mut batch);
        (store.len() == self.store.len()).then_some(store)
    }

    /// The same search with an interned store, and the packed one.
    pub(in crate::reach::rounds) fn with_store(
        self,
        store: Interned,
    ) -> (ParallelSearch<'a, S, Interned>, Packed) {
        let search = ParallelSearch {
            system: self.system,
            store,
            options: self.options,
            goal: self.goal,
            workers: self.workers.into_iter().map(Worker::with_other_keys).collect(),
            meter: self.meter,
            signal: self.signal,
            live: self.live,
            stored: self.stored,
            watch_times: self.watch_times,
            misfits: self.misfits,
            scope: self.scope,
            pause_states: u64::MAX,
            compressed: self.compressed,
            last_save: self.last_save,
            lost: self.lost,
            saved: self.saved,
            checkpoint_failure: self.checkpoint_failure,
        };
        (search, self.store)
    }

    /// The same search with an interned store, to which the states are moved.
    pub(in crate::reach::rounds) fn compressed(
        self,
        store: Interned,
    ) -> ParallelSearch<'a, S, Interned> {
        let (mut search, packed) = self.with_store(store);
        search.meter.reserve(0);
        let (meter, store) = (&search.meter, &mut search.store);
        let words = search.system.get().width().identity;
        let (threads, states) = (search.workers.len(), packed.len());
        let mut batch = InsertionBatch::new(words);
        let budget = search.options.limits.budget;
        let mut add = |batch: &mut InsertionBatch<_>| {
            batch.insert(store, &mut |store: &mut Interned| {
                // Segments of the packed store that were copied are freed already.
                store.grow(meter.store_limit(store.memory_bytes()), threads)
            });
        };
        packed.drain(&mut |state| {
            if budget.is_over() || batch.is_store_full() {
                return;
            }
            batch.next.clear();
            batch.next.extend_from_slice(state);
            if batch.push() {
                add(&mut batch);
            }
        });
        add(&mut batch);
        let mut fits = !batch.is_store_full();
        search.signal = StopSignal::default();
        if let (true, Err(exhausted)) = (budget.is_over(), budget.check()) {
            search.signal.end_search(Some(exhausted.into()));
            fits = false;
        } else if !fits {
            search.signal.end_search(Some(search.meter.out_of_memory(0)));
        }
        for worker in &mut search.workers {
            // They would take the memory that was just freed; a second search finds the runs to
            // later errors.
            worker.predecessors = None;
        }
        (search.compressed, search.lost) = (Some(states), !fits);
        search
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::rounds::search;
    use crate::reach::worker::RoundScope;
    use crate::testing::HandWritten;
    use crate::{Options, Order};
    use lariat_ir::system::Width;

    /// `words` counters modulo `modulus`.
    fn counters(words: usize, modulus: u64) -> impl System {
        let successors = move |state: &[u64]| {
            let counted = |word: usize| {
                let mut next = state.to_vec();
                next[word] = (next[word] + 1) % modulus;
                next
            };
            (0..words).map(counted).collect()
        };
        HandWritten {
            width: Width { identity: words, all: words },
            successors,
            is_right: |_: &[u64]| true,
        }
    }

    /// A switch to interned states before the table grows does not change the outcome.
    #[test]
    fn interning_keeps_the_search() {
        let (words, modulus) = (INTERNING_WORDS, 5);
        let system = counters(words, modulus);
        for (order, threads) in [
            (Order::DepthFirst, 1),
            (Order::BreadthFirst, 1),
            (Order::DepthFirst, 3),
            (Order::BreadthFirst, 3),
        ] {
            let threads = std::num::NonZero::new(threads);
            let options = Options { order, threads, join_after: Some(100), ..Options::default() };
            let packed = Packed::new(&vec![64; words], 0).expect("a little memory");
            let mut begun =
                ParallelSearch::begin(&system, packed, &options).expect("an initial state");
            begun.pause_states = 1000;
            let store = loop {
                begun.run();
                assert!(begun.is_paused(), "the table grows before the search ends");
                match begun.smaller_store() {
                    Some(store) => break store,
                    None => begun.pause_states = 2 * begun.store.len(),
                }
            };
            let (mut interned, _) = begun.with_store(store);
            interned.run();
            let outcome = interned.conclude();
            assert!(outcome.exhaustive);
            let states = modulus.pow(words as u32);
            assert_eq!(outcome.statistics.states, states);
            assert_eq!(outcome.statistics.transitions, words as u64 * states + 1);
        }
    }

    /// Compression at any time does not change the outcome.
    #[test]
    fn compression_keeps_the_search() {
        for (words, modulus) in [(1, 5000), (2, 60), (3, 17)] {
            let system = counters(words, modulus);
            for (order, threads) in [
                (Order::DepthFirst, 1),
                (Order::BreadthFirst, 1),
                (Order::DepthFirst, 3),
                (Order::BreadthFirst, 3),
            ] {
                let threads = std::num::NonZero::new(threads);
                let options =
                    Options { order, threads, join_after: Some(100), ..Options::default() };
                let plain = search(&system, Interned::new(words).expect("memory"), &options);
                for states in [1, 10, 777, 2500] {
                    let packed = Packed::new(&vec![64; words], 0).expect("a little memory");
                    let mut begun =
                        ParallelSearch::begin(&system, packed, &options).expect("an initial state");
                    while begun.tally().states < states {
                        begun.round(if begun.tally().states < 100 {
                            RoundScope::Alone {
                                states: states.min(100),
                                steps: u64::MAX,
                                level: usize::MAX,
                            }
                        } else {
                            RoundScope::Together
                        });
                        begun.signal.clear();
                        if begun.workers.iter().any(Worker::needs_room) {
                            // In the last round, successors keep waiting for room.
                            if begun.tally().states >= states {
                                break;
                            }
                            assert!(begun.store.grow(u64::MAX, 1));
                        } else if order == Order::BreadthFirst
                            && begun.workers.iter().all(Worker::is_idle)
                        {
                            begun.next_level();
                        }
                    }
                    let stored = begun.store.len();
                    let mut compressed = begun.compressed(Interned::new(words).expect("memory"));
                    compressed.run();
                    let outcome = compressed.conclude();
                    assert!(outcome.exhaustive);
                    assert_eq!(outcome.statistics.compressed, Some(stored));
                    assert_eq!(outcome.statistics.states, modulus.pow(words as u32));
                    assert_eq!(outcome.statistics.transitions, plain.statistics.transitions);
                }
            }
        }
    }
}
