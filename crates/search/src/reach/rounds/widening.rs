//! Continuing with a wider layout: all states are recoded.

use super::recoding::{Failure, Recoding};
use super::{CurrentSystem, ParallelSearch};
use crate::Coverage;
use crate::reach::predecessors::Predecessors;
use crate::reach::worker::Worker;
use crate::store::Store;
use crate::tuning::reach::RECORDED_STATES;
use lariat_ir::system::{Misfit, System};
use std::sync::atomic::Ordering;

impl<S: System, T: Store> ParallelSearch<'_, S, T>
where
    T::Key: Send,
{
    /// Continues with a layout in which the misfits of all workers fit.
    pub(in crate::reach::rounds) fn widen(&mut self) {
        let mut misfit = Misfit::default();
        for worker in &mut self.workers {
            if let Some(own) = worker.misfit.take() {
                misfit.states.extend(own.states);
                misfit.inside_step |= own.inside_step;
            }
        }
        let present = self.system.get();
        let wider = present.widened(&misfit);
        present.layout_widened(&wider);
        if self.store.clear() {
            self.misfits.push(misfit);
            self.system = CurrentSystem::Wider(Box::new(wider));
            return self.restart();
        }
        let recoder = wider.recoder(present);
        // Both stores exist until the states are copied. The bound is fixed here: pages of the new
        // store that are not touched yet would count as free memory later.
        let room = self.meter.store_limit(self.store.memory_bytes());
        let room = room.saturating_sub(self.store.memory_bytes());
        let Some(store) = self.store.emptied_for(&wider.identity_bits(), room) else {
            let limit = self.meter.out_of_memory(self.store.memory_bytes());
            self.signal.end_search(Some(limit));
            return;
        };
        let mut recoding = Recoding {
            recoder: &recoder,
            from: present.width(),
            to: wider.width(),
            store,
            memory_bytes: room,
            threads: self.workers.len(),
            budget: self.options.limits.budget,
            waiting: Vec::new(),
            failure: None,
        };
        let known = self.store.for_each(&mut |state| recoding.push(state));
        recoding.flush();
        let Recoding { store, failure, .. } = recoding;
        // The state with the misfit is still in a frontier, so the search can be saved as it is.
        if let Some(failure) = failure {
            let limit = match self.options.limits.budget.check() {
                Err(exhausted) if failure == Failure::Interrupted => exhausted.into(),
                _ => self.meter.out_of_memory(self.store.memory_bytes()),
            };
            self.signal.end_search(Some(limit));
            return;
        }
        // The old store is released before the frontiers are recoded.
        self.store = store;
        for worker in &mut self.workers {
            worker.widen(&recoder, wider.width());
        }
        self.misfits.push(misfit);
        self.system = CurrentSystem::Wider(Box::new(wider));
        if !known {
            self.restart();
        }
    }

    /// Restarts the search: the store cannot list its states.
    pub(in crate::reach::rounds) fn restart(&mut self) {
        let (system, threads) = (self.system.get(), self.workers.len());
        let recorded = self.workers[0].predecessors.is_some();
        self.workers = (0..threads).map(|number| Worker::new(number, system.width())).collect();
        for worker in &mut self.workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        if recorded {
            self.workers[0].predecessors =
                Some(Predecessors::new(RECORDED_STATES, self.options.limits.memory_bytes));
        }
        self.stored.store(0, Ordering::Relaxed);
        // Making the initial states succeeded before.
        let _ = self.start();
    }
}
