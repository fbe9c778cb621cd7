//! A small direct-mapped cache of recently generated states in front of the store.
//!
//! Independent steps commute, so neighbouring states often have the same successors: a worker
//! generates a third to a half of all successors again within a few thousand others. These need no
//! lookup in the store, which is rarely in the processor's cache.
//!
//! The cache holds complete states, so it is exact. Every state in it has been inserted into the
//! store, or will be; when that is undone, the cache must be [emptied](RecentStates::forget).

use crate::tuning::expansion::RECENT_WORDS;

#[derive(Debug)]
pub(crate) struct RecentStates {
    /// Words of a state.
    words: usize,
    /// Right shift from a hash to the index of an entry.
    shift: u32,
    /// The states, each at the index given by its hash.
    entries: Vec<u64>,
}

impl RecentStates {
    /// For states of `words` words.
    pub fn new(words: usize) -> RecentStates {
        let bits = (RECENT_WORDS / words.max(1)).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut recent = RecentStates { words, shift, entries: vec![0; words << bits] };
        recent.mark_own_entry_of_zero();
        recent
    }

    #[inline(always)]
    fn place(&self, state: &[u64]) -> usize {
        let mut hash = 0u64;
        for word in state {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 32;
        }
        // The low half is mixed best; this moves it up.
        (hash.wrapping_mul(0xd6e8_feb8_6659_fd93) >> self.shift) as usize * state.len()
    }

    /// Adds a state; whether it was there already.
    #[inline]
    pub fn check_and_add(&mut self, state: &[u64]) -> bool {
        // Most states are narrow; for these the loops are unrolled.
        match *state {
            [_] => self.add_array::<1>(state),
            [_, _] => self.add_array::<2>(state),
            [_, _, _] => self.add_array::<3>(state),
            _ => self.add_slice(state),
        }
    }

    #[inline]
    fn add_array<const WORDS: usize>(&mut self, state: &[u64]) -> bool {
        match <&[u64; WORDS]>::try_from(state) {
            Ok(state) => self.add_slice(state),
            Err(_) => false,
        }
    }

    #[inline(always)]
    fn add_slice(&mut self, state: &[u64]) -> bool {
        let place = self.place(state);
        let entry = &mut self.entries[place..place + state.len()];
        let mut different = 0;
        for (known, word) in entry.iter_mut().zip(state) {
            different |= *known ^ word;
            *known = *word;
        }
        different == 0
    }

    /// Removes all states.
    pub fn forget(&mut self) {
        self.entries.fill(0);
        self.mark_own_entry_of_zero();
    }

    /// An entry is empty if its state belongs to another index. A zeroed entry is therefore empty,
    /// unless it is at the index of the zero state: that entry gets another state here. The other
    /// entries need not be written. Precondition: all entries are zero.
    fn mark_own_entry_of_zero(&mut self) {
        let zero = vec![0; self.words];
        let home = self.place(&zero);
        let other =
            (1..).map(|number| vec![number; self.words]).find(|state| self.place(state) != home);
        if let Some(other) = other {
            self.entries[home..home + self.words].copy_from_slice(&other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #![proptest_config(seeded::cases(256))]

        /// A state that was never added is not found, and the state added last is.
        #[test]
        fn finds_only_added_states(
            words in 1usize..40,
            numbers in prop::collection::vec((0u64..60, 0u8..20), 1..200),
            factor: u64,
        ) {
            let mut recent = RecentStates::new(words);
            let mut added = HashSet::new();
            for (number, forget) in numbers {
                if forget == 0 {
                    recent.forget();
                    added.clear();
                }
                let word = |word| number.wrapping_mul(factor | word);
                let state: Vec<u64> = (0..words as u64).map(word).collect();
                let known = recent.check_and_add(&state);
                prop_assert!(!known || added.contains(&state));
                prop_assert!(recent.check_and_add(&state));
                added.insert(state);
            }
        }
    }
}
