//! Saving a search between two rounds, and resuming it.

use super::{CurrentSystem, ParallelSearch};
use crate::Coverage;
use crate::limits::{Limit, Meter};
use crate::reach::checkpoint::{
    Checkpoint, CheckpointHeader, CheckpointSection, CheckpointWriter, ResumeError, SavedSearch,
};
use crate::reach::frontier::Frontier;
use crate::reach::worker::{NO_NUMBER, Worker};
use crate::store::{Insertion, Store};
use crate::tuning::limits::RESUME_CHECK_STATES;
use lariat_ir::system::{Misfit, System};
use std::io;
use std::sync::atomic::Ordering;
use std::time::Instant;

impl<S: System, T: Store> ParallelSearch<'_, S, T>
where
    T::Key: Send,
{
    pub(in crate::reach::rounds) fn is_save_due(&self) -> bool {
        let every = self.options.checkpoint.and_then(|checkpoint| checkpoint.every);
        every.is_some_and(|every| self.last_save.elapsed() >= every)
    }

    /// Saves the search if the options request it; returns whether it was saved.
    pub(in crate::reach::rounds) fn save(&mut self) -> bool {
        let Some(checkpoint) = self.options.checkpoint else { return false };
        self.last_save = Instant::now();
        let written = self.write(&checkpoint);
        self.checkpoint_failure = written.as_ref().err().map(|error| {
            format!("cannot save the search in {}: {error}", checkpoint.path.display())
        });
        written.is_ok()
    }

    pub(in crate::reach::rounds) fn write(&self, checkpoint: &Checkpoint<'_>) -> io::Result<()> {
        let system = self.system.get();
        let mut header = CheckpointHeader::new(&self.tally(), self.options, checkpoint.fingerprint);
        for misfit in &self.misfits {
            header.misfits.push(misfit.states.clone());
            header.within_steps.push(misfit.inside_step);
        }
        header.identity_bits = system.identity_bits();
        header.words = system.width().all;
        header.elapsed = self.meter.elapsed();
        let mut writer = CheckpointWriter::create(checkpoint.path, &header)?;
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
        for is_next in [false, true] {
            let frontiers = self
                .workers
                .iter()
                .map(|worker| if is_next { &worker.next } else { &worker.frontier });
            let words: usize = frontiers.clone().map(Frontier::words).sum();
            writer.words(&[words as u64])?;
            for frontier in frontiers {
                frontier.try_for_each_chunk(&mut |chunk| writer.words(chunk))?;
            }
        }
        let mut waiting = Vec::new();
        self.workers.iter().for_each(|worker| worker.save_waiting(&mut waiting));
        writer.list(&waiting)?;
        writer.finish()
    }

    /// Continues a saved search. The file may be forged: see
    /// [`checkpoint`](crate::reach::checkpoint).
    pub(in crate::reach::rounds) fn resume(
        &mut self,
        saved: &SavedSearch,
    ) -> Result<(), ResumeError> {
        let header = &saved.header;
        let system = self.system.get();
        if !header.is_possible(system.transition_count())
            || !header.steps().all(|step| system.has_step(step))
        {
            return Err(ResumeError::Damaged);
        }
        self.widen_as_saved(header)?;
        let system = self.system.get();
        let (width, bits) = (system.width(), system.identity_bits());
        if bits != header.identity_bits || width.all != header.words {
            return Err(ResumeError::Other("layout of states; it may be from another version"));
        }
        let room = self.meter.store_limit(self.store.memory_bytes());
        let mut store = self.store.emptied_for(&bits, room).ok_or(ResumeError::NoMemory)?;
        let threads = self.workers.len();
        let mut workers: Vec<Worker<T::Key>> =
            (0..threads).map(|number| Worker::new(number, width)).collect();
        let mut tally = header.tally();
        tally.coverage.join(&Coverage::new(system.transition_count()));
        for worker in &mut workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        self.stored.store(tally.states, Ordering::Relaxed);
        let first = &mut workers[0];
        first.tally = tally;
        let meter = &self.meter;
        let fits = |words: &[u64]| words.iter().zip(&bits).all(|(word, bits)| within(*word, *bits));
        let mut read = 0u64;
        saved.read(width, |part, entry| {
            read += 1;
            if read.is_multiple_of(RESUME_CHECK_STATES) {
                meter.check_time().map_err(ResumeError::Limit)?;
                meter.check_memory(store.memory_bytes()).map_err(|_| ResumeError::NoMemory)?;
            }
            let is_state = match part {
                CheckpointSection::Stored => fits(entry),
                _ => fits(&entry[1..]) && system.is_state(&entry[1..]),
            };
            if !is_state {
                return Err(ResumeError::Damaged);
            }
            match part {
                CheckpointSection::Stored => loop {
                    let key = store.key(entry);
                    if store.insert(entry, key) != Insertion::Full {
                        break;
                    }
                    if !store.grow(meter.store_limit(store.memory_bytes()), threads) {
                        return Err(ResumeError::NoMemory);
                    }
                },
                CheckpointSection::Frontier => {
                    first.frontier.push(entry[0] | NO_NUMBER, &entry[1..])
                }
                CheckpointSection::Next => first.next.push(entry[0] | NO_NUMBER, &entry[1..]),
                CheckpointSection::Waiting => {
                    if !first.resume_waiting(entry) {
                        return Err(ResumeError::Damaged);
                    }
                }
            }
            Ok(())
        })?;
        (self.store, self.workers) = (store, workers);
        self.meter = Meter::new(&self.options.limits, header.elapsed);
        if let Some(limit) = self.options.limits.states
            && self.stored.load(Ordering::Relaxed) > limit
        {
            self.signal.end_search(Some(Limit::States(limit)));
        }
        Ok(())
    }

    /// Widens the layout for all misfits of the saved search.
    fn widen_as_saved(&mut self, header: &CheckpointHeader) -> Result<(), ResumeError> {
        let within_steps = header.within_steps.iter().copied().chain(std::iter::repeat(false));
        for (states, within) in header.misfits.iter().zip(within_steps) {
            self.meter.check_time().map_err(ResumeError::Limit)?;
            let system = self.system.get();
            if !states.iter().all(|state| system.is_unpacked_state(state)) {
                return Err(ResumeError::Damaged);
            }
            let misfit = Misfit { states: states.clone(), inside_step: within };
            let wide = system.widened(&misfit);
            system.layout_widened(&wide);
            self.system = CurrentSystem::Wider(Box::new(wide));
            self.misfits.push(misfit);
        }
        Ok(())
    }
}

/// Whether only the lowest `bits` bits of `word` are set.
fn within(word: u64, bits: u32) -> bool {
    word.checked_shr(bits).unwrap_or(0) == 0
}
