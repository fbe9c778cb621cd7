//! How many states have one way in, and so are lost with an omitted state.
//!
//! A store that takes a state for another omits it, and with it what can only be reached through it. A successor of an omitted
//! state is lost too if there is no other way to it. If a share q of all states has one way in, an omitted state takes along q
//! successors on average, they take along q², and so on: 1 + q + q² + … = 1 / (1 - q) states are lost for each that is omitted,
//! if the ways into a state are independent; [`crate::loss`] corrects that.
//!
//! The share is that of a sample: states whose hash begins with so many zeros, as many as keep the sample small (Wegman's adaptive
//! sampling, as in Flajolet: On adaptive sampling, 1990).

use crate::store::hash::Hasher;
use std::collections::HashMap;

/// States in a sample, at most.
const SAMPLE: usize = 1 << 13;

#[derive(Clone, Debug)]
pub(crate) struct Ways {
    hasher: Hasher,
    /// Zeros at the beginning of the hash of a state that is looked at.
    zeros: u32,
    /// By hash: the state it was reached from, or `None` if from several.
    sample: HashMap<u64, Option<u64>>,
    /// Names the state being expanded.
    source: u64,
}

impl Default for Ways {
    fn default() -> Ways {
        Ways { hasher: Hasher::new(0), zeros: 0, sample: HashMap::new(), source: 0 }
    }
}

impl Ways {
    /// What follows is reached from another state. Precondition: no two threads use the same numbers.
    pub fn expand(&mut self, source: u64) {
        self.source = source;
    }

    #[inline]
    pub fn arrive(&mut self, state: &[u64]) {
        let hash = self.hasher.hash(state);
        if hash.leading_zeros() >= self.zeros {
            self.note(hash, Some(self.source));
        }
    }

    #[cold]
    fn note(&mut self, hash: u64, source: Option<u64>) {
        let known = self.sample.entry(hash).or_insert(source);
        if *known != source {
            *known = None;
        }
        while self.sample.len() > SAMPLE {
            self.zeros += 1;
            self.sample.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        }
    }

    /// Adds what another thread saw.
    pub fn join(&mut self, other: &Ways) {
        self.zeros = self.zeros.max(other.zeros);
        self.sample.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        for (&hash, &source) in &other.sample {
            if hash.leading_zeros() >= self.zeros {
                self.note(hash, source);
            }
        }
    }

    /// States lost for each that is omitted.
    pub fn lost_with_one(&self) -> f64 {
        let all = self.sample.len().max(1) as f64;
        let several = self.sample.values().filter(|source| source.is_none()).count() as f64;
        all / several.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every third state can be reached from two others: on average 3 are lost with one.
    #[test]
    fn one_way_in() {
        let mut halves = [Ways::default(), Ways::default()];
        for number in 0..300_000u64 {
            let ways = &mut halves[number as usize % 2];
            ways.expand(number);
            ways.arrive(&[number]);
            ways.arrive(&[number]);
            if number % 3 == 0 {
                halves[1 - number as usize % 2].expand(number + 1);
                halves[1 - number as usize % 2].arrive(&[number]);
            }
        }
        let [mut all, other] = halves;
        all.join(&other);
        assert!(all.sample.len() <= SAMPLE && all.sample.len() > SAMPLE / 8);
        let lost = all.lost_with_one();
        assert!(lost > 2.7 && lost < 3.3, "{lost}");
        assert!((Ways::default().lost_with_one() - 1.0).abs() < 1e-9);
    }
}
