//! When a depth-first search that forgets should begin again in another way.
//!
//! Until something has to be forgotten it is as good as any. Then it is seen whether steps can be undone, so that it should go [by levels](crate::levels); and later, whether it visits
//! too much again, or cannot go on, so that it should see to it that there is little to remember ([`crate::narrow`]). What it has seen by then tells that search by which steps states can be
//! reached: a depth-first search sees states of all kinds early. If it is still learning, that search would be of no use.
//!
//! What was visited is lost when the search begins again. So that is not done any more when much was visited, unless there is no way to go on.

use crate::expansion::Expansion;
use crate::levels::Undone;
use crate::store::{Cache, Store};
use crate::ways_in::WaysIn;

/// Too much: so many more visits than states, one in this number.
const TOO_MUCH: u64 = 4;
/// When as many were visited as so often the room, that is much.
const ROOMS: u64 = 2;
/// How often it is looked at while the room is filled once.
const LOOKS: u64 = 16;

/// How it should go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    Levels,
    Narrow,
}

/// What the search has seen of the graph.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Which steps can be undone, as long as that matters.
    undone: Option<Undone>,
    ways_in: WaysIn,
    visits: u64,
    /// After so many visits it is looked at.
    look_at: u64,
}

impl Turn {
    /// Nothing if the search should not go in another way: those have a replacement of their own, and who asks for one other than the default wants to see that one.
    pub fn new(store: &Cache) -> Option<Turn> {
        let turn =
            Turn { undone: Some(Undone::default()), ways_in: WaysIn::default(), visits: 0, look_at: 0 };
        store.replaces_by_default().then_some(turn)
    }

    /// Sees the successors of a state that is new, `before` which another is on the stack.
    pub fn see(&mut self, before: Option<&[u64]>, state: &[u64], expansion: &Expansion<true>) {
        let arrivals =
            expansion.arrivals().chunks_exact(expansion.stride()).map(|entry| &entry[1..=state.len()]);
        if let (Some(undone), Some(before)) = (&mut self.undone, before) {
            undone.see(arrivals.clone().any(|arrival| arrival == before));
        }
        if self.look_at < u64::MAX {
            expansion.names().iter().zip(arrivals).for_each(|(name, to)| self.ways_in.see(*name, state, to));
        }
    }

    /// The stack is long.
    pub fn when_long(&mut self) -> Option<Turned> {
        let undone = self.undone.take()?;
        undone.are_nearly_all().then_some(Turned::Levels)
    }

    /// A state was visited.
    pub fn when_visited(&mut self, store: &Cache) -> Option<Turned> {
        self.visits += 1;
        if self.visits < self.look_at || !store.has_forgotten() {
            return None;
        }
        let room = store.len();
        self.look_at = self.visits + room.div_ceil(LOOKS);
        if let Some(turned) = self.when_long() {
            return Some(turned);
        }
        let revisits = store.revisits()?;
        let visits = revisits.insertions + revisits.reentries;
        if visits > ROOMS * room {
            self.look_at = u64::MAX;
            return None;
        }
        let too_much = visits > revisits.distinct + revisits.distinct / TOO_MUCH;
        (too_much && self.ways_in.are_known()).then_some(Turned::Narrow)
    }

    /// By which steps states can be reached, if enough was learned.
    pub fn learned(self) -> Option<WaysIn> {
        Some(self.ways_in).filter(WaysIn::are_known)
    }
}
