//! Operations on a worker between two rounds: replacing the store or the layout, saving, resuming,
//! and joining two workers.

use super::Worker;
use super::encoding::{Origin, depth};
use crate::reach::expansion::Expander;
use crate::reach::recent::RecentStates;
use lariat_ir::layout::Recoder;
use lariat_ir::system::{Successors, Width};

impl<Key: Copy> Worker<Key> {
    /// The worker for a store with other keys.
    pub fn with_other_keys<Other>(self) -> Worker<Other> {
        Worker {
            number: self.number,
            width: self.width,
            tally: self.tally,
            expanded: self.expanded,
            frontier: self.frontier,
            next: self.next,
            predecessors: self.predecessors,
            block: self.block,
            waiting: self.waiting,
            misfit: self.misfit,
            expander: self.expander,
            after_atomic: self.after_atomic,
            keys: Vec::new(),
            recent: self.recent,
            violated: self.violated,
        }
    }

    /// Takes over the remaining work and the counts of another worker.
    pub fn absorb(&mut self, mut other: Worker<Key>) {
        self.tally.join(&other.tally);
        self.frontier.append(&mut other.frontier);
        self.next.append(&mut other.next);
        other.save_waiting(&mut self.waiting);
        if let Some(misfit) = other.misfit {
            let own = self.misfit.get_or_insert_default();
            own.states.extend(misfit.states);
            own.inside_step |= misfit.inside_step;
        }
    }

    /// Appends the successors that wait for room, in the form of a saved search: with the depth of
    /// the predecessor in place of its slot in the block.
    pub fn save_waiting(&self, out: &mut Vec<u64>) {
        for entry in self.waiting.chunks_exact(self.stride()) {
            let origin = Origin(entry[0]);
            let saved = match origin.slot() {
                Origin::INITIAL | Origin::RESUMED => origin,
                slot => {
                    let depth = depth(self.block[slot * self.stride()]) as u32;
                    Origin::new(Origin::RESUMED, depth, origin.moves())
                }
            };
            out.push(saved.0);
            out.extend_from_slice(&entry[1..]);
        }
    }

    /// Adds a successor that waited in a saved search; `false` if its first word is invalid.
    pub fn resume_waiting(&mut self, entry: &[u64]) -> bool {
        let is_valid = matches!(Origin(entry[0]).slot(), Origin::INITIAL | Origin::RESUMED);
        if is_valid {
            self.waiting.extend_from_slice(entry);
        }
        is_valid
    }

    /// Recodes all states for a wider layout.
    pub fn widen(&mut self, recoder: &Recoder, width: Width) {
        let old = self.stride();
        let mut wide = Vec::new();
        let mut recode = |entries: &[u64]| {
            let mut recoded = Vec::with_capacity(entries.len() / old * (width.all + 1));
            for entry in entries.chunks_exact(old) {
                recoder.recode(&entry[1..], &mut wide);
                recoded.push(entry[0]);
                recoded.extend_from_slice(&wide);
            }
            recoded
        };
        self.frontier.recode(width.all, &mut recode);
        self.next.recode(width.all, &mut recode);
        self.block = recode(&self.block);
        self.waiting = recode(&self.waiting);
        self.width = width;
        self.expander = Expander::new(width);
        self.after_atomic = Successors::new(width);
        self.recent = RecentStates::new(width.identity);
    }
}
