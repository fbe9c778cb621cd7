//! Getting through atomic sequences that never end.
//!
//! States inside an atomic sequence are not stored, so a loop there would be followed forever. Along the
//! path from the last stored state a repetition is found as Brent (1980) does, with the hash of one
//! earlier state, renewed at each power of two: depth-first, a path that never ends repeats
//! itself in the end. Only then are the states behind that stored state remembered, and each visited once. No
//! terminating sequence is treated differently, so counts remain those of a plain search.

use hashbrown::HashSet;
use rapidhash::fast::GlobalState;
use std::hash::{BuildHasher, Hash};

/// Shorter sequences are not even hashed.
const UNWATCHED: u32 = 64;

/// The place of a state on the path since the last stored state, which has position 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    pub position: u32,
    landmark: u64,
}

/// Watches the atomic sequences that start in one stored state.
#[derive(Debug)]
pub(crate) struct Watch<State> {
    /// The states visited since a repetition was found.
    seen: Option<HashSet<State, GlobalState>>,
}

impl<State> Default for Watch<State> {
    fn default() -> Watch<State> {
        Watch { seen: None }
    }
}

impl<State: Clone + Eq + Hash> Watch<State> {
    /// The place of `state`, one step after `chain`; `None` if it need not be visited again.
    pub fn follow(&mut self, chain: Chain, state: &State) -> Option<Chain> {
        let mut next = Chain { position: chain.position.saturating_add(1), landmark: chain.landmark };
        if next.position >= UNWATCHED {
            let hash = GlobalState::new().hash_one(state);
            if next.position > UNWATCHED && hash == chain.landmark && self.seen.is_none() {
                self.seen = Some(HashSet::default());
            }
            if next.position.is_power_of_two() {
                next.landmark = hash;
            }
        }
        match &mut self.seen {
            Some(seen) => seen.insert(state.clone()).then_some(next),
            None => Some(next),
        }
    }

    /// Was an endless sequence found?
    pub fn is_endless(&self) -> bool {
        self.seen.is_some()
    }
}
