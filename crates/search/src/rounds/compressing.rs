//! Going on with compressed states when there is no memory for whole ones.
//!
//! Whole states are found fastest, compressed ones take a fraction of the memory. So a search that was not told which to use
//! begins with whole ones; when they fill the memory, they are handed over, part by part so that both are never there whole, and
//! the search goes on where it was.

use super::Search;
use crate::batch::Batch;
use crate::limits::Limit;
use crate::pool::Sign;
use crate::store::{Interned, Packed, Store};
use crate::worker::Worker;
use model::system::System;

/// States must take this part of the memory at least; if others take it, compressing does not help.
const SHARE: u64 = 4;

impl<'a, S: System> Search<'a, S, Packed> {
    /// Did the search end because states filled the memory?
    pub(super) fn would_compress(&self) -> bool {
        match self.sign.limit() {
            Some(Limit::MemoryBytes(bytes)) => self.store.memory_bytes() > bytes / SHARE,
            _ => false,
        }
    }

    /// Other things than states fill the memory, so that compressing does not help: the search goes on with what was left
    /// free for that.
    pub(super) fn use_all_memory(&mut self) {
        self.meter.reserve(0);
        if matches!(self.sign.limit(), Some(Limit::MemoryBytes(_))) {
            self.sign = Sign::default();
            self.run();
        }
    }

    /// The search as it was, with compressed states.
    pub(super) fn compressed(mut self) -> Search<'a, S, Interned> {
        self.meter.reserve(0);
        let meter = &self.meter;
        let words = self.system.get().width().identity;
        let (threads, states) = (self.workers.len(), self.store.len());
        let mut store = Interned::new(words);
        let mut batch = Batch::new(words);
        let (mut fits, budget) = (true, self.options.limits.budget);
        let mut add = |batch: &mut Batch<_>| {
            fits = fits
                && batch.insert(&mut store, &mut |store: &mut Interned| {
                    // Of the whole states those are gone that were copied, segment by segment.
                    store.grow(meter.store_limit(store.memory_bytes()), threads)
                });
        };
        self.store.drain(&mut |state| {
            if budget.is_over() {
                return;
            }
            batch.next.clear();
            batch.next.extend_from_slice(state);
            if batch.push() {
                add(&mut batch);
            }
        });
        add(&mut batch);
        let sign = Sign::default();
        if let (true, Err(exhausted)) = (budget.is_over(), budget.check()) {
            sign.stop(Some(exhausted.into()));
            fits = false;
        } else if !fits {
            sign.stop(Some(self.meter.out_of_memory(0)));
        }
        let mut workers: Vec<_> = self.workers.into_iter().map(Worker::with_other_keys).collect();
        for worker in &mut workers {
            // They would take what was just freed. Errors from here on are found again by a second search.
            worker.predecessors = None;
        }
        Search {
            system: self.system,
            store,
            options: self.options,
            goal: self.goal,
            workers,
            meter: self.meter,
            sign,
            live: self.live,
            stored: self.stored,
            told: self.told,
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
    use crate::rounds::search;
    use crate::testing::Written;
    use crate::worker::Span;
    use crate::{Options, Order};
    use model::system::Width;

    /// Some counters, each of which can be counted up, modulo something.
    fn counters(words: usize, modulus: u64) -> impl System {
        let successors = move |state: &[u64]| {
            let counted = |word: usize| {
                let mut next = state.to_vec();
                next[word] = (next[word] + 1) % modulus;
                next
            };
            (0..words).map(counted).collect()
        };
        Written { width: Width { identity: words, all: words }, successors, is_right: |_: &[u64]| true }
    }

    /// Whenever states are compressed, the search goes on as if nothing had happened.
    #[test]
    fn goes_on_where_it_was() {
        for (words, modulus) in [(1, 5000), (2, 60), (3, 17)] {
            let system = counters(words, modulus);
            for (order, threads) in [
                (Order::DepthFirst, 1),
                (Order::BreadthFirst, 1),
                (Order::DepthFirst, 3),
                (Order::BreadthFirst, 3),
            ] {
                let threads = std::num::NonZero::new(threads);
                let options = Options { order, threads, join_after: Some(100), ..Options::default() };
                let plain = search(&system, Interned::new(words), &options);
                for states in [1, 10, 777, 2500] {
                    let packed = Packed::new(&vec![64; words], 0).expect("a little memory");
                    let mut begun = Search::begin(&system, packed, &options).expect("an initial state");
                    while begun.tally().states < states {
                        begun.round(if begun.tally().states < 100 {
                            Span::Alone { states: states.min(100), steps: u64::MAX, level: usize::MAX }
                        } else {
                            Span::Together
                        });
                        begun.sign.lower();
                        if begun.workers.iter().any(Worker::needs_room) {
                            // The last time, what waits for room is left waiting.
                            if begun.tally().states >= states {
                                break;
                            }
                            assert!(begun.store.grow(u64::MAX, 1));
                        } else if order == Order::BreadthFirst && begun.workers.iter().all(Worker::is_idle) {
                            begun.next_level();
                        }
                    }
                    let met = begun.store.len();
                    let mut compressed = begun.compressed();
                    compressed.run();
                    let outcome = compressed.conclude();
                    assert!(outcome.exhaustive);
                    assert_eq!(outcome.statistics.compressed, Some(met));
                    assert_eq!(outcome.statistics.states, modulus.pow(words as u32));
                    assert_eq!(outcome.statistics.transitions, plain.statistics.transitions);
                }
            }
        }
    }
}
