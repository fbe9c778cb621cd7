//! Saving a search between two rounds, and going on with a saved one.

use super::{Held, Search};
use crate::Coverage;
use crate::checkpoint::{Checkpoint, Figures, Part, ResumeError, Saved, Writer};
use crate::limits::{Limit, Meter};
use crate::store::{Insertion, Store};
use crate::worker::{NO_NUMBER, Worker};
use model::system::{Misfit, System};
use std::io;
use std::sync::atomic::Ordering;
use std::time::Instant;

impl<S: System, T: Store> Search<'_, S, T>
where
    T::Key: Send,
{
    pub(super) fn is_save_due(&self) -> bool {
        let every = self.options.checkpoint.and_then(|checkpoint| checkpoint.every);
        every.is_some_and(|every| self.last_save.elapsed() >= every)
    }

    /// Saves the search, if that is wanted; was it?
    pub(super) fn save(&mut self) -> bool {
        let Some(checkpoint) = self.options.checkpoint else { return false };
        self.last_save = Instant::now();
        let written = self.write(&checkpoint);
        self.checkpoint_failure = written
            .as_ref()
            .err()
            .map(|error| format!("cannot save the search in {}: {error}", checkpoint.path.display()));
        written.is_ok()
    }

    pub(super) fn write(&self, checkpoint: &Checkpoint<'_>) -> io::Result<()> {
        let system = self.system.get();
        let mut figures = Figures::new(&self.tally(), self.options, checkpoint.fingerprint);
        figures.misfits = self.misfits.clone();
        figures.identity_bits = system.identity_bits();
        figures.words = system.width().all;
        figures.elapsed = self.meter.elapsed();
        let mut writer = Writer::create(checkpoint.path, &figures)?;
        writer.words(&[self.store.len() * system.width().identity as u64])?;
        let mut failure = None;
        let known = self.store.for_each(&mut |state| {
            if failure.is_none() {
                failure = writer.words(state).err();
            }
        });
        if !known {
            return Err(io::Error::other("the store does not keep the states"));
        }
        if let Some(error) = failure {
            return Err(error);
        }
        let mut lists = [Vec::new(), Vec::new(), Vec::new()];
        for worker in &self.workers {
            worker.frontier.save(&mut lists[0]);
            worker.next.save(&mut lists[1]);
            worker.save_waiting(&mut lists[2]);
        }
        for list in &lists {
            writer.list(list)?;
        }
        writer.finish()
    }

    /// Begins where a saved search ended.
    pub(super) fn resume(&mut self, saved: &Saved) -> Result<(), ResumeError> {
        let figures = &saved.figures;
        for states in &figures.misfits {
            let wide = self.system.get().widened(&Misfit { states: states.clone(), ..Misfit::default() });
            self.system = Held::Wider(Box::new(wide));
        }
        self.misfits = figures.misfits.clone();
        let system = self.system.get();
        let (width, bits) = (system.width(), system.identity_bits());
        if bits != figures.identity_bits || width.all != figures.words {
            return Err(ResumeError::Other("layout of states; it may be from another version"));
        }
        self.store = self.store.emptied_for(&bits);
        let threads = self.workers.len();
        self.workers = (0..threads).map(|number| Worker::new(number, width)).collect();
        let mut tally = figures.tally();
        tally.coverage.join(&Coverage::new(system.transition_count()));
        for worker in &mut self.workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        self.stored.store(tally.states, Ordering::Relaxed);
        let first = &mut self.workers[0];
        first.tally = tally;
        let (store, meter) = (&mut self.store, &self.meter);
        let mut full = false;
        saved.read(width, &mut |part, entry| match part {
            Part::Stored => loop {
                let key = store.key(entry);
                if store.insert(entry, key) != Insertion::Full || full {
                    break;
                }
                full = !store.grow(meter.store_limit(store.memory_bytes()), threads);
            },
            Part::Frontier => first.frontier.push(entry[0] | NO_NUMBER, &entry[1..]),
            Part::Next => first.next.push(entry[0] | NO_NUMBER, &entry[1..]),
            Part::Waiting => first.resume_waiting(entry),
        })?;
        if full {
            return Err(ResumeError::NoMemory);
        }
        self.meter = Meter::new(&self.options.limits, figures.elapsed);
        if let Some(limit) = self.options.limits.states
            && self.stored.load(Ordering::Relaxed) > limit
        {
            self.sign.stop(Some(Limit::States(limit)));
        }
        Ok(())
    }
}
