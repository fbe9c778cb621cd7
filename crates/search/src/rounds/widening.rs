//! Going on with a wider layout: everything known is translated.

use super::{Held, NOTED_STATES, Search};
use crate::Coverage;
use crate::batch::Batch;
use crate::predecessors::Predecessors;
use crate::store::Store;
use crate::worker::Worker;
use model::system::{Misfit, System};
use std::sync::atomic::Ordering;

impl<S: System, T: Store> Search<'_, S, T>
where
    T::Key: Send,
{
    /// Goes on with a system that has room for what did not fit.
    pub(super) fn widen(&mut self) {
        let mut misfit = Misfit::default();
        for worker in &mut self.workers {
            if let Some(met) = worker.misfit.take() {
                misfit.states.extend(met.states);
                misfit.within |= met.within;
            }
        }
        let narrow = self.system.get();
        let wide = narrow.widened(&misfit);
        if self.store.clear() {
            self.misfits.push(misfit);
            self.system = Held::Wider(Box::new(wide));
            return self.restart();
        }
        let recoder = wide.recoder(narrow);
        // Both stores are there for a while.
        let room = self.meter.store_limit(self.store.memory_bytes());
        let room = room.saturating_sub(self.store.memory_bytes());
        let Some(mut store) = self.store.emptied_for(&wide.identity_bits(), room) else {
            let limit = self.meter.out_of_memory(self.store.memory_bytes());
            self.sign.stop(Some(limit));
            return;
        };
        let identity = wide.width().identity;
        let mut old = vec![0; narrow.width().all];
        let mut batch = Batch::new(identity);
        let (mut fits, budget) = (true, self.options.limits.budget);
        let mut add = |batch: &mut Batch<T::Key>| {
            fits = fits
                && batch.insert(&mut store, &mut |store| {
                    store.grow(self.meter.store_limit(store.memory_bytes()), self.workers.len())
                });
        };
        let known = self.store.for_each(&mut |state| {
            if budget.is_over() {
                return;
            }
            old[..state.len()].copy_from_slice(state);
            recoder.recode(&old, &mut batch.next);
            if batch.push() {
                add(&mut batch);
            }
        });
        add(&mut batch);
        // What did not fit is still in a frontier, so the search can be saved and gone on with as it is.
        if let (true, Err(exhausted)) = (budget.is_over(), budget.check()) {
            self.sign.stop(Some(exhausted.into()));
            return;
        }
        if !fits {
            self.sign.stop(Some(self.meter.out_of_memory(self.store.memory_bytes())));
            return;
        }
        for worker in &mut self.workers {
            worker.widen(&recoder, wide.width());
        }
        self.misfits.push(misfit);
        self.store = store;
        self.system = Held::Wider(Box::new(wide));
        if !known {
            self.restart();
        }
    }

    /// Begins again, for the store does not know what it had.
    pub(super) fn restart(&mut self) {
        let (system, threads) = (self.system.get(), self.workers.len());
        let noted = self.workers[0].predecessors.is_some();
        self.workers = (0..threads).map(|number| Worker::new(number, system.width())).collect();
        for worker in &mut self.workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        if noted {
            self.workers[0].predecessors =
                Some(Predecessors::new(NOTED_STATES, self.options.limits.memory_bytes));
        }
        self.stored.store(0, Ordering::Relaxed);
        // There were initial states before.
        let _ = self.start();
    }
}
