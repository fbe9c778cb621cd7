//! Which state a new one replaces.

use super::{NONE, Slot};

/// From how many states a state is met in a search by levels, as far as is known. If a little is wrong with that, from so many, and how doubtful it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expected {
    pub times: u32,
    pub perhaps: u32,
    pub doubt: u32,
}

impl Expected {
    /// To be met once more is worth this much, and more than any doubt.
    const ONCE: u32 = 1 << 5;

    /// How much a state is worth that was met so often. Where it is not expected again, doubts count: a single state that is forgotten too early is new
    /// again, and so is all behind it.
    pub fn worth(self, met: u32) -> u32 {
        match self.times.saturating_sub(met) {
            0 if self.perhaps > met => self.doubt.min(Expected::ONCE - 1),
            again => again.saturating_mul(Expected::ONCE),
        }
    }
}

/// Which state is replaced, of those that are not on the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// One between two layers of the stack that are kept: behind a state that was replaced, the search soon meets some
    /// that were not.
    ///
    /// If each state were forgotten with probability p, one that is met again would have p times its successors to be visited
    /// again, and so on behind them: the work explodes as soon as p times the number of successors is above 1. What is behind one that was
    /// forgotten from between two layers ends at the next layer. Of all layers every second one goes first, then every second one of those that are left, and so on: so
    /// they are as close to each other as memory allows, and as evenly spaced.
    ///
    /// In a layer, that goes first in which most successors sleep: remembering it spares the least, since it is entered again when it
    /// is met with fewer asleep. Then what was not met for longest.
    #[default]
    Layers,
    /// Any: what the paper found best.
    Random,
    /// The one that was not met for longest.
    LeastRecentlyUsed,
    /// One of those that were deepest on the stack: behind them is the least to visit again.
    Deepest,
    /// One of those that are expected to be met least often again, the least doubtful first, and the first that came to that: for a search by
    /// levels ([`crate::levels`]) only.
    Met,
}

/// States that are looked at to replace one.
const CANDIDATES: usize = 32;
/// Depths that are told apart; deeper states are taken together.
const DEPTHS: usize = 1 << 16;

/// A list of slots, the first to be replaced first.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

const EMPTY: List = List { first: NONE, last: NONE };

/// The states that can be replaced.
#[derive(Debug)]
pub(super) struct Candidates {
    pub policy: Replacement,
    /// By depth, or in the first list all.
    lists: Vec<List>,
    /// No list beyond has anything in it.
    deepest: usize,
    /// For replacement by lot.
    replaceable: Vec<u32>,
    pub random: u64,
    /// How many states became replaceable so far, modulo 2^32.
    time: u32,
}

impl Candidates {
    pub fn new(policy: Replacement, seed: u64) -> Candidates {
        Candidates { policy, lists: vec![EMPTY], deepest: 0, replaceable: Vec::new(), random: seed, time: 0 }
    }

    pub fn memory_bytes(&self) -> usize {
        self.replaceable.capacity() * 4 + self.lists.capacity() * size_of::<List>()
    }

    /// A state to replace.
    pub fn victim(&mut self, slots: &[Slot]) -> Option<u32> {
        match self.policy {
            Replacement::Random => self.any(),
            Replacement::Layers => {
                let candidates: [Option<u32>; CANDIDATES] = std::array::from_fn(|_| self.any());
                let worth = |slot: &u32| {
                    let Slot { depth, asleep, after: met, .. } = slots[*slot as usize];
                    (depth.trailing_zeros(), asleep.count_zeros(), u32::MAX - self.time.wrapping_sub(met))
                };
                candidates.into_iter().flatten().min_by_key(worth)
            }
            Replacement::LeastRecentlyUsed => Some(self.lists[0].first).filter(|slot| *slot != NONE),
            Replacement::Deepest => {
                while self.deepest > 0 && self.lists[self.deepest].first == NONE {
                    self.deepest -= 1;
                }
                Some(self.lists[self.deepest].first).filter(|slot| *slot != NONE)
            }
            Replacement::Met => self.lists.iter().map(|list| list.first).find(|slot| *slot != NONE),
        }
    }

    /// Any state that can be replaced.
    fn any(&mut self) -> Option<u32> {
        let count = self.replaceable.len() as u64;
        if count == 0 {
            return None;
        }
        self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        Some(self.replaceable[(((self.random >> 32) * count) >> 32) as usize])
    }

    fn is_by_lot(&self) -> bool {
        matches!(self.policy, Replacement::Random | Replacement::Layers)
    }

    fn list_of(&self, slot: &Slot) -> usize {
        match self.policy {
            Replacement::Deepest | Replacement::Met => (slot.depth as usize).min(DEPTHS - 1),
            _ => 0,
        }
    }

    /// The state can be replaced from now on.
    pub fn list(&mut self, slots: &mut [Slot], slot: u32) {
        if self.is_by_lot() {
            self.time = self.time.wrapping_add(1);
            slots[slot as usize].before = self.replaceable.len() as u32;
            slots[slot as usize].after = self.time;
            self.replaceable.push(slot);
            return;
        }
        let list = self.list_of(&slots[slot as usize]);
        if self.lists.len() <= list {
            self.lists.resize(list + 1, EMPTY);
        }
        self.deepest = self.deepest.max(list);
        let last = std::mem::replace(&mut self.lists[list].last, slot);
        match last {
            NONE => self.lists[list].first = slot,
            last => slots[last as usize].after = slot,
        }
        let entry = &mut slots[slot as usize];
        entry.before = last;
        entry.after = NONE;
    }

    /// A state that can be replaced was met.
    pub fn met(&mut self, slots: &mut [Slot], slot: u32) {
        match self.policy {
            Replacement::Layers => slots[slot as usize].after = self.time,
            Replacement::LeastRecentlyUsed => {
                self.unlist(slots, slot);
                self.list(slots, slot);
            }
            Replacement::Met => {
                self.unlist(slots, slot);
                slots[slot as usize].depth = slots[slot as usize].depth.saturating_sub(Expected::ONCE);
                self.list(slots, slot);
            }
            Replacement::Random | Replacement::Deepest => {}
        }
    }

    /// The state cannot be replaced, or is to be listed elsewhere. Precondition: it is in a list.
    pub fn unlist(&mut self, slots: &mut [Slot], slot: u32) {
        if self.is_by_lot() {
            let place = slots[slot as usize].before;
            self.replaceable.swap_remove(place as usize);
            if let Some(moved) = self.replaceable.get(place as usize) {
                slots[*moved as usize].before = place;
            }
            return;
        }
        let list = self.list_of(&slots[slot as usize]);
        let Slot { before, after, .. } = slots[slot as usize];
        match before {
            NONE => self.lists[list].first = after,
            before => slots[before as usize].after = after,
        }
        match after {
            NONE => self.lists[list].last = before,
            after => slots[after as usize].before = before,
        }
    }
}
