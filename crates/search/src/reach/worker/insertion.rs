//! Inserting the successors of a block into the store, and adding the new ones to the frontier.

use super::encoding::{Origin, depth, header, number};
use super::{RoundContext, Worker};
use crate::Order;
use crate::limits::Limit;
use crate::reach::predecessors::NO_PREDECESSOR;
use crate::store::{Insertion, Store};
use lariat_ir::system::System;
use std::sync::atomic::Ordering;

impl<Key: Copy> Worker<Key> {
    /// Inserts all successors of a block; the store prefetches the memory for all of them first.
    pub(super) fn look_up<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        direct: &[u64],
        after_atomic: &[u64],
    ) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let (stride, identity) = (self.stride(), self.width.identity);
        for list in [direct, after_atomic] {
            keys.extend(list.chunks_exact(stride).map(|entry| cx.store.key(&entry[1..=identity])));
        }
        keys.iter().for_each(|&key| cx.store.fetch(key));
        let (first, second) = keys.split_at(keys.len().min(direct.len() / stride));
        self.insert_all(cx, direct, first);
        self.insert_all(cx, after_atomic, second);
        self.keys = keys;
    }

    /// Precondition: `keys` has a key for each successor.
    #[inline]
    fn insert_all<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        successors: &[u64],
        keys: &[Key],
    ) {
        let stride = self.stride();
        let identity = self.width.identity;
        // Once the store is full, the rest waits too.
        let mut full = self.needs_room();
        for (entry, &key) in successors.chunks_exact(stride).zip(keys) {
            let insertion = match full {
                true => Insertion::Full,
                // SAFETY: this is the only worker of the round, and only workers insert states
                // during a round.
                #[allow(unsafe_code)]
                false if cx.alone => unsafe { cx.store.insert_alone(&entry[1..=identity], key) },
                false => cx.store.insert(&entry[1..=identity], key),
            };
            match insertion {
                Insertion::Known => {}
                Insertion::New => self.add(cx, Origin(entry[0]), &entry[1..]),
                Insertion::Full => {
                    full = true;
                    self.waiting.extend_from_slice(entry);
                }
            }
        }
    }

    /// Inserts the successors that waited for room in the store.
    pub(super) fn retry<S: System, T: Store<Key = Key>>(&mut self, cx: &RoundContext<'_, S, T>) {
        let waiting = std::mem::take(&mut self.waiting);
        let identity = self.width.identity;
        let states = waiting.chunks_exact(self.stride());
        let keys: Vec<Key> = states.map(|entry| cx.store.key(&entry[1..=identity])).collect();
        self.insert_all(cx, &waiting, &keys);
    }

    /// Counts and checks a new state, and adds it to the frontier.
    #[inline]
    fn add<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        origin: Origin,
        state: &[u64],
    ) {
        let (before, predecessor) = match origin.slot() {
            Origin::INITIAL => (None, NO_PREDECESSOR),
            Origin::RESUMED => (Some(u64::from(origin.successor())), NO_PREDECESSOR),
            slot => {
                let header = self.block[slot * self.stride()];
                (Some(depth(header)), number(header))
            }
        };
        self.tally.states += 1;
        if let Some(limit) = cx.state_limit
            && cx.stored.fetch_add(1, Ordering::Relaxed) >= limit
        {
            cx.signal.end_search(Some(Limit::States(limit)));
        }
        let depth = match (before, cx.order) {
            (None, _) => 0,
            (Some(before), Order::DepthFirst) => before + origin.moves(),
            (Some(before), Order::BreadthFirst) => before + 1,
        };
        self.tally.depth = self.tally.depth.max(depth);
        let mut number = NO_PREDECESSOR;
        if let Some(predecessors) = &mut self.predecessors {
            match predecessors.add(predecessor, origin.successor()) {
                Some(added) => number = added,
                None => self.predecessors = None,
            }
        }
        cx.system.check_stored(state, &mut self.violated);
        if !self.violated.is_empty() {
            self.note_violated(cx, number);
        }
        if depth >= cx.depth_limit {
            self.tally.too_deep = true;
            return;
        }
        let frontier = match (cx.order, before) {
            (Order::BreadthFirst, Some(_)) => &mut self.next,
            _ => &mut self.frontier,
        };
        frontier.push(header(depth, number), state);
    }

    /// Reports the invariants that are violated in a new state.
    #[cold]
    fn note_violated<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        number: u32,
    ) {
        for error in std::mem::take(&mut self.violated) {
            let predecessors = &self.predecessors;
            self.tally.note(error, || predecessors.as_ref()?.run_to(cx.system, number, &[]));
        }
        cx.goal.end_if_reached(&self.tally, cx.signal);
    }
}
