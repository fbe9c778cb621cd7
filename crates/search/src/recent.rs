//! States met a moment ago: a small cache in front of the store.
//!
//! Independent steps commute, so the successors of neighbouring states are often the same, and a worker that expands
//! neighbours meets a third to a half of all states again within a few thousand others. Those need not be looked up: the cache lies near the
//! processor, the store does not.
//!
//! It holds whole states, so it is exact; a state that is in it has been handed to the store, or is about to be. Whoever takes that back
//! must [forget](Recent::forget).

/// Words in all: they stay in the processor's second cache, with room beside them.
const WORDS: usize = 1 << 14;

#[derive(Debug)]
pub(crate) struct Recent {
    /// Words of a state.
    words: usize,
    /// The index of an entry is the high bits of a hash.
    shift: u32,
    /// The states, each where its hash says.
    entries: Vec<u64>,
}

impl Recent {
    /// For states of so many words.
    pub fn new(words: usize) -> Recent {
        let bits = (WORDS / words.max(1)).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut recent = Recent { words, shift, entries: vec![0; words << bits] };
        recent.empty_home_of_zero();
        recent
    }

    #[inline(always)]
    fn place(&self, state: &[u64]) -> usize {
        let mut hash = 0u64;
        for word in state {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 32;
        }
        // The low half is mixed best.
        (hash.wrapping_mul(0xd6e8_feb8_6659_fd93) >> self.shift) as usize * state.len()
    }

    /// Was it met recently? From now on it was.
    #[inline]
    pub fn meet(&mut self, state: &[u64]) -> bool {
        // Most states are narrow, and then there is no need for loops.
        match *state {
            [_] => self.meet_words::<1>(state),
            [_, _] => self.meet_words::<2>(state),
            [_, _, _] => self.meet_words::<3>(state),
            _ => self.meet_many(state),
        }
    }

    #[inline]
    fn meet_words<const WORDS: usize>(&mut self, state: &[u64]) -> bool {
        match <&[u64; WORDS]>::try_from(state) {
            Ok(state) => self.meet_many(state),
            Err(_) => false,
        }
    }

    #[inline(always)]
    fn meet_many(&mut self, state: &[u64]) -> bool {
        let place = self.place(state);
        let entry = &mut self.entries[place..place + state.len()];
        let mut different = 0;
        for (known, word) in entry.iter_mut().zip(state) {
            different |= *known ^ word;
            *known = *word;
        }
        different == 0
    }

    /// Forgets all states.
    pub fn forget(&mut self) {
        self.entries.fill(0);
        self.empty_home_of_zero();
    }

    /// An entry is empty if it holds a state that does not belong there. Precondition: all entries hold zero. Apart from this one they need
    /// not be touched: memory that is new is zero, and its pages come when they are used.
    fn empty_home_of_zero(&mut self) {
        let zero = vec![0; self.words];
        let home = self.place(&zero);
        let stranger = (1..).map(|number| vec![number; self.words]).find(|state| self.place(state) != home);
        if let Some(stranger) = stranger {
            self.entries[home..home + self.words].copy_from_slice(&stranger);
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

        /// What was not met is never said to be known, and what was met last is.
        #[test]
        fn knows_only_what_it_met(
            words in 1usize..40,
            numbers in prop::collection::vec((0u64..60, 0u8..20), 1..200),
            spread: u64,
        ) {
            let mut recent = Recent::new(words);
            let mut met = HashSet::new();
            for (number, forget) in numbers {
                if forget == 0 {
                    recent.forget();
                    met.clear();
                }
                let state: Vec<u64> = (0..words as u64).map(|word| number.wrapping_mul(spread | word)).collect();
                let known = recent.meet(&state);
                prop_assert!(!known || met.contains(&state));
                prop_assert!(recent.meet(&state));
                met.insert(state);
            }
        }
    }
}
