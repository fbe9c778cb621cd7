//! Which state is evicted for a new one.

use super::{NONE, Slot};
use crate::tuning::caching::{LAYER_DRAWS, MAX_DEPTHS};
use lariat_ir::random::Lcg;

/// The eviction policy, for states that are not on the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// A state from a layer of the stack whose neighbouring layers are stored.
    ///
    /// If each state is evicted with probability p, an evicted state that is reached again has p
    /// times its successors to visit again, and so on: the work explodes when p times the number
    /// of successors exceeds 1. If the layers next to an evicted state are stored, a second visit
    /// ends at the next layer. Every second layer is evicted first, then every second one of the
    /// rest, and so on, so that the stored layers are evenly spaced.
    ///
    /// Within a layer, the state with the largest sleep set is evicted first: storing it saves
    /// least, since it is entered again when it is reached with a smaller one. Then the one that
    /// was not visited for the longest time.
    #[default]
    Layers,
    /// A random state: the best policy of the paper.
    Random,
    /// The least recently visited state.
    LeastRecentlyUsed,
    /// A state that was entered deepest on the stack.
    Deepest,
}

/// A doubly linked list of slots; the first is evicted first.
#[derive(Clone, Copy, Debug)]
struct SlotList {
    first: u32,
    last: u32,
}

const EMPTY: SlotList = SlotList { first: NONE, last: NONE };

/// The evictable slots.
#[derive(Debug)]
pub(super) struct Candidates {
    policy: Replacement,
    /// For [`Replacement::Deepest`] one list per depth, otherwise a single list.
    lists: Vec<SlotList>,
    /// All lists at larger depths are empty.
    deepest: usize,
    /// For policies that draw at random.
    drawable: Vec<u32>,
    random: Lcg,
    /// Slots that became evictable so far, modulo 2^32.
    time: u32,
}

impl Candidates {
    pub fn new(policy: Replacement, seed: u64) -> Candidates {
        Candidates {
            policy,
            lists: vec![EMPTY],
            deepest: 0,
            drawable: Vec::new(),
            random: Lcg::new(seed),
            time: 0,
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.drawable.capacity() * 4 + self.lists.capacity() * size_of::<SlotList>()
    }

    /// The slot to evict next.
    pub fn choose(&mut self, slots: &[Slot]) -> Option<u32> {
        match self.policy {
            Replacement::Random => self.draw(),
            Replacement::Layers => {
                let drawn: [Option<u32>; LAYER_DRAWS] = std::array::from_fn(|_| self.draw());
                let worth = |slot: &u32| {
                    let Slot { depth, sleep_set, after: visited, .. } = slots[*slot as usize];
                    let age = self.time.wrapping_sub(visited);
                    (depth.trailing_zeros(), sleep_set.count_zeros(), u32::MAX - age)
                };
                drawn.into_iter().flatten().min_by_key(worth)
            }
            Replacement::LeastRecentlyUsed => {
                Some(self.lists[0].first).filter(|slot| *slot != NONE)
            }
            Replacement::Deepest => {
                while self.deepest > 0 && self.lists[self.deepest].first == NONE {
                    self.deepest -= 1;
                }
                Some(self.lists[self.deepest].first).filter(|slot| *slot != NONE)
            }
        }
    }

    fn draw(&mut self) -> Option<u32> {
        let count = self.drawable.len() as u64;
        if count == 0 {
            return None;
        }
        Some(self.drawable[self.random.below(count) as usize])
    }

    fn draws(&self) -> bool {
        matches!(self.policy, Replacement::Random | Replacement::Layers)
    }

    fn list_of(&self, slot: &Slot) -> usize {
        match self.policy {
            Replacement::Deepest => (slot.depth as usize).min(MAX_DEPTHS - 1),
            _ => 0,
        }
    }

    /// Makes a slot evictable.
    pub fn add(&mut self, slots: &mut [Slot], slot: u32) {
        if self.draws() {
            self.time = self.time.wrapping_add(1);
            slots[slot as usize].before = self.drawable.len() as u32;
            slots[slot as usize].after = self.time;
            self.drawable.push(slot);
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

    /// Notes a visit to the state of an evictable slot.
    pub fn touch(&mut self, slots: &mut [Slot], slot: u32) {
        match self.policy {
            Replacement::Layers => slots[slot as usize].after = self.time,
            Replacement::LeastRecentlyUsed => {
                self.remove(slots, slot);
                self.add(slots, slot);
            }
            Replacement::Random | Replacement::Deepest => {}
        }
    }

    /// Precondition: the slot is evictable.
    pub fn remove(&mut self, slots: &mut [Slot], slot: u32) {
        if self.draws() {
            let index = slots[slot as usize].before;
            self.drawable.swap_remove(index as usize);
            if let Some(moved) = self.drawable.get(index as usize) {
                slots[*moved as usize].before = index;
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
