//! The share of states with a single predecessor, sampled over a whole search.
//!
//! A store that mistakes a state for another omits it, and with it all states that can only be
//! reached through it. If a share q of all states has one predecessor, an omitted state takes along
//! q successors on average, these take along q², and so on: 1 + q + q² + … = 1 / (1 - q) states are
//! lost per omitted state, if predecessors are omitted independently of each other.
//! [`crate::omission::lost_states`] corrects for the dependence.
//!
//! The sample consists of the states whose hash begins with enough zeros to keep the sample small
//! (Wegman's adaptive sampling, as in Flajolet: On adaptive sampling, 1990).

use crate::store::hash::Hasher;
use crate::tuning::omission::IN_DEGREE_SAMPLE;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(crate) struct InDegreeSample {
    hasher: Hasher,
    /// Leading zeros in the hash of a sampled state.
    zeros: u32,
    /// By hash: the only predecessor so far, or `None` if there are several.
    sample: HashMap<u64, Option<u64>>,
    /// The number of the state being expanded.
    source: u64,
}

impl Default for InDegreeSample {
    fn default() -> InDegreeSample {
        InDegreeSample { hasher: Hasher::new(0), zeros: 0, sample: HashMap::new(), source: 0 }
    }
}

impl InDegreeSample {
    /// The successors that follow belong to state `source`. Precondition: no two threads use the
    /// same numbers.
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
        while self.sample.len() > IN_DEGREE_SAMPLE {
            self.zeros += 1;
            self.sample.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        }
    }

    /// Adds the sample of another thread.
    pub fn join(&mut self, other: &InDegreeSample) {
        self.zeros = self.zeros.max(other.zeros);
        self.sample.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        for (&hash, &source) in &other.sample {
            if hash.leading_zeros() >= self.zeros {
                self.note(hash, source);
            }
        }
    }

    /// The estimated number of states lost per omitted state.
    pub fn lost_per_omission(&self) -> f64 {
        let all = self.sample.len().max(1) as f64;
        let several = self.sample.values().filter(|source| source.is_none()).count() as f64;
        all / several.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every third state has two predecessors: on average 3 states are lost per omission.
    #[test]
    fn samples_predecessors() {
        let mut halves = [InDegreeSample::default(), InDegreeSample::default()];
        for number in 0..300_000u64 {
            let sample = &mut halves[number as usize % 2];
            sample.expand(number);
            sample.arrive(&[number]);
            sample.arrive(&[number]);
            if number % 3 == 0 {
                halves[1 - number as usize % 2].expand(number + 1);
                halves[1 - number as usize % 2].arrive(&[number]);
            }
        }
        let [mut all, other] = halves;
        all.join(&other);
        assert!(all.sample.len() <= IN_DEGREE_SAMPLE && all.sample.len() > IN_DEGREE_SAMPLE / 8);
        let lost = all.lost_per_omission();
        assert!(lost > 2.7 && lost < 3.3, "{lost}");
        assert!((InDegreeSample::default().lost_per_omission() - 1.0).abs() < 1e-9);
    }
}
