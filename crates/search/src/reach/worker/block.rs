//! Expanding a block of states: the successors of all of them are generated and filtered in place
//! before any is looked up, so that the store can prefetch.

use super::encoding::{Origin, number};
use super::{RoundContext, Worker};
use crate::limits::Limit;
use crate::reach::atomic::ExpansionError;
use crate::reach::expansion::SuccessorSink;
use crate::reach::recent::RecentStates;
use crate::reach::tally::Tally;
use crate::store::Store;
use lariat_ir::system::{StepCode, Successors, System};

impl<Key: Copy> Worker<Key> {
    /// Expands the block and inserts the successors. Precondition: no successor waits for room.
    pub(super) fn expand<S: System, T: Store<Key = Key>>(&mut self, cx: &RoundContext<'_, S, T>) {
        self.expander.generated.clear();
        self.after_atomic.clear();
        let stride = self.stride();
        for slot in 0..self.block.len() / stride {
            // In words: converting to entries would cost a division for every state.
            let before = (self.expander.generated.raw().len(), self.after_atomic.raw().len());
            let counted = (self.tally.transitions, self.tally.atomic_steps);
            if let Err(error) = self.generate(cx, slot) {
                // This state is undone; it and the rest of the block return to the frontier.
                self.expander.generated.raw().truncate(before.0);
                self.expander.generated.errors.clear();
                self.after_atomic.raw().truncate(before.1);
                (self.tally.transitions, self.tally.atomic_steps) = counted;
                self.expander.errors.clear();
                self.recent.forget();
                for entry in self.block[slot * stride..].chunks_exact(stride) {
                    self.frontier.push(entry[0], &entry[1..]);
                }
                self.block.truncate(slot * stride);
                match error {
                    ExpansionError::Misfit(misfit) => self.misfit = Some(misfit),
                    // The thread that watches the limits records which one was reached.
                    ExpansionError::Stopped | ExpansionError::Unfinished(Limit::Interrupted) => {}
                    ExpansionError::Unfinished(limit) => cx.signal.end_search(Some(limit)),
                }
                break;
            }
            if !self.expander.errors.is_empty() {
                self.note_errors(cx, slot);
            }
        }
        let mut direct = std::mem::take(&mut self.expander.generated);
        let mut after_atomic = std::mem::take(&mut self.after_atomic);
        self.look_up(cx, direct.raw(), after_atomic.raw());
        (self.expander.generated, self.after_atomic) = (direct, after_atomic);
    }

    /// Generates the successors of one state of the block, and drops those generated recently.
    #[inline]
    fn generate<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        slot: usize,
    ) -> Result<(), ExpansionError> {
        let stride = self.stride();
        let state = &self.block[slot * stride + 1..(slot + 1) * stride];
        if T::OMITS {
            self.expanded += 1;
            self.tally.ways.expand(self.expanded);
        }
        let mut filter = RecentFilter::<'_, T> {
            slot,
            stride,
            identity: self.width.identity,
            kept: self.expander.generated.raw().len(),
            recent: &mut self.recent,
            after_atomic: &mut self.after_atomic,
            store: std::marker::PhantomData,
        };
        self.expander.expand(cx.system, state, cx.signal.flag(), &mut self.tally, &mut filter)?;
        let kept = filter.kept;
        self.expander.generated.raw().truncate(kept);
        Ok(())
    }

    /// Reports the errors of a state of the block.
    #[cold]
    fn note_errors<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        slot: usize,
    ) {
        let number = number(self.block[slot * self.stride()]);
        for (error, codes) in std::mem::take(&mut self.expander.errors) {
            let predecessors = &self.predecessors;
            self.tally.note(error, || predecessors.as_ref()?.run_to(cx.system, number, &codes));
        }
        cx.goal.end_if_reached(&self.tally, cx.signal);
    }
}

/// Keeps the successors that were not generated recently.
struct RecentFilter<'a, T> {
    /// The place of the expanded state in the block.
    slot: usize,
    stride: usize,
    identity: usize,
    /// The end of the entries that are kept.
    kept: usize,
    recent: &'a mut RecentStates,
    after_atomic: &'a mut Successors,
    store: std::marker::PhantomData<T>,
}

impl<T: Store> SuccessorSink for RecentFilter<'_, T> {
    const NEEDS_CODES: bool = false;

    /// Moves the entry to the end of those that are kept. Whether it is kept is unpredictable, so
    /// no branch depends on it.
    #[inline(always)]
    fn direct(&mut self, entries: &mut [u64], at: usize, number: u32, tally: &mut Tally) {
        let moves = StepCode(entries[at]).weight();
        let state = &entries[at + 1..at + 1 + self.identity];
        if T::OMITS {
            tally.ways.arrive(state);
        }
        let known = self.recent.check_and_add(state);
        entries[self.kept] = Origin::new(self.slot, number, moves).0;
        for word in 1..self.stride {
            entries[self.kept + word] = entries[at + word];
        }
        self.kept += if known { 0 } else { self.stride };
    }

    #[inline]
    fn after_atomic(
        &mut self,
        state: &[u64],
        _: &[StepCode],
        moves: u64,
        number: u32,
        tally: &mut Tally,
    ) {
        let identity = &state[..self.identity];
        if T::OMITS {
            tally.ways.arrive(identity);
        }
        if !self.recent.check_and_add(identity) {
            self.after_atomic.push(StepCode(Origin::new(self.slot, number, moves).0), state);
        }
    }
}
