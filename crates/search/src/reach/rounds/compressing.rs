//! Switching from packed to interned states when memory runs out.
//!
//! Packed states are found fastest, interned states take a fraction of the memory. So by default a
//! search begins with packed states. When they fill the memory, they are moved to an interned store
//! segment by segment, so that the two stores never exist in full at the same time, and the search
//! continues.

use super::ParallelSearch;
use crate::limits::Limit;
use crate::reach::batch::InsertionBatch;
use crate::reach::work_pool::StopSignal;
use crate::reach::worker::Worker;
use crate::store::{Interned, Packed, Store};
use crate::tuning::reach::COMPRESSIBLE_SHARE;
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
        if matches!(self.signal.limit(), Some(Limit::MemoryBytes(_))) {
            self.signal = StopSignal::default();
            self.run();
        }
    }

    /// The same search with an interned store.
    pub(in crate::reach::rounds) fn compressed(
        mut self,
        mut store: Interned,
    ) -> ParallelSearch<'a, S, Interned> {
        self.meter.reserve(0);
        let meter = &self.meter;
        let words = self.system.get().width().identity;
        let (threads, states) = (self.workers.len(), self.store.len());
        let mut batch = InsertionBatch::new(words);
        let budget = self.options.limits.budget;
        let mut add = |batch: &mut InsertionBatch<_>| {
            batch.insert(&mut store, &mut |store: &mut Interned| {
                // Segments of the packed store that were copied are freed already.
                store.grow(meter.store_limit(store.memory_bytes()), threads)
            });
        };
        self.store.drain(&mut |state| {
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
        let signal = StopSignal::default();
        if let (true, Err(exhausted)) = (budget.is_over(), budget.check()) {
            signal.end_search(Some(exhausted.into()));
            fits = false;
        } else if !fits {
            signal.end_search(Some(self.meter.out_of_memory(0)));
        }
        let mut workers: Vec<_> = self.workers.into_iter().map(Worker::with_other_keys).collect();
        for worker in &mut workers {
            // They would take the memory that was just freed; a second search finds the runs to
            // later errors.
            worker.predecessors = None;
        }
        ParallelSearch {
            system: self.system,
            store,
            options: self.options,
            goal: self.goal,
            workers,
            meter: self.meter,
            signal,
            live: self.live,
            stored: self.stored,
            watch_times: self.watch_times,
            misfits: self.misfits,
            compressed: Some(states),
            last_save: self.last_save,
            lost: !fits,
            saved: false,
            checkpoint_failure: self.checkpoint_failure,
        }
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
