//! Hash compaction (Wolper, Leroy: Reliable hashing without collision detection, 1993; Stern, Dill:
//! Improved probabilistic verification by hash compaction, 1995): only a hash value of each state
//! is stored, by quotient, so a value of 64 bits takes 6 to 8 bytes.
//!
//! Two states with the same value of `b` bits count as one. The whole value is compared (the line
//! that holds a value and its displacement stand for the part that is not stored), so two given
//! states collide with probability 2^-b, at any load. A state that arrives when `i` values are
//! stored is omitted with probability i/2^b, so for `n` stored states
//!
//! > expected omissions = n² / 2^(b+1)
//!
//! of the states that were generated. States reachable only through an omitted state are missed as
//! well ([`crate::omission::in_degree`]).

use super::hash::Hasher;
use super::quotient::Quotient;
use super::{Guarantee, Insertion, Store};
use crate::tuning::store::{QUOTIENT_LOAD_ROOMY, QUOTIENT_LOAD_TIGHT};

/// The default number of bits of a hash value.
pub const DEFAULT_BITS: u32 = 64;

/// See the module.
#[derive(Debug)]
pub struct Compact {
    hasher: Hasher,
    bits: u32,
    values: Quotient,
}

impl Compact {
    /// `None` if there is no memory. Precondition: `bits` is between 1 and 64.
    pub fn new(bits: u32, seed: u64) -> Option<Compact> {
        Some(Compact { hasher: Hasher::new(seed), bits, values: Quotient::new(bits, 0, 0)? })
    }
}

impl Store for Compact {
    /// The hash value.
    type Key = u64;
    const OMITS: bool = true;

    #[inline]
    fn key(&self, state: &[u64]) -> u64 {
        let value = self.hasher.hash(state) >> (64 - self.bits);
        self.values.prefetch(value);
        value
    }

    #[inline]
    fn insert(&self, _state: &[u64], value: u64) -> Insertion {
        self.values.insert(value, 0)
    }

    fn grow(&mut self, memory_bytes: u64, _: usize) -> bool {
        let fits = |load: &f64| self.values.rebuilt_bytes(0, *load) <= memory_bytes;
        let loads = [QUOTIENT_LOAD_ROOMY, QUOTIENT_LOAD_TIGHT];
        let Some(load) = loads.into_iter().find(fits) else { return false };
        self.values.rebuild(0, load, |extra| extra)
    }

    fn len(&self) -> u64 {
        self.values.len()
    }

    fn memory_bytes(&self) -> u64 {
        self.values.memory_bytes()
    }

    fn guarantee(&self) -> Guarantee {
        let states = self.len() as f64;
        Guarantee::Omissions {
            expected: states * (states - 1.0).max(0.0) / 2.0 / 2f64.powi(self.bits as i32),
        }
    }

    fn for_each(&self, _visit: &mut dyn FnMut(&[u64])) -> bool {
        false
    }

    fn emptied(&self, _identity_words: usize, memory_bytes: u64) -> Option<Compact> {
        let states = if self.memory_bytes() <= memory_bytes { self.len() } else { 0 };
        Some(Compact {
            hasher: self.hasher.clone(),
            bits: self.bits,
            values: Quotient::new(self.bits, 0, states)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn threads_agree() {
        let store = || Compact::new(64, 0).expect("memory");
        testing::threads_agree(store(), 3);
        testing::threads_contend(store, 3);
    }

    /// With few bits states are omitted, about as many as estimated.
    #[test]
    #[cfg_attr(miri, ignore = "statistics need many states")]
    fn omissions_match_the_estimate() {
        let states = testing::product(3, 60_000);
        for bits in [24, 28, 32] {
            let mut omitted = 0.0;
            let mut expected = 0.0;
            for seed in 0..20 {
                let mut store = Compact::new(bits, seed).expect("memory");
                omitted += (states.len() as u64 - testing::insert_all(&mut store, &states)) as f64;
                let Guarantee::Omissions { expected: said } = store.guarantee() else {
                    panic!("the store may omit states")
                };
                expected += said;
            }
            assert!(
                omitted < 1.5 * expected + 3.0 && omitted > expected / 1.5 - 3.0,
                "{bits} bits: {omitted} omitted, {expected} expected"
            );
        }
    }
}
