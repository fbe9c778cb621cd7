//! Hash compaction (Wolper, Leroy: Reliable hashing without collision detection, 1993; Stern, Dill: Improved
//! probabilistic verification by hash compaction, 1995): of a state only a hash value is stored, here by quotient, so
//! that a value of 64 bits takes 6 to 8 bytes.
//!
//! Two states with the same value of `b` bits are taken for one. The whole value is compared (the line a value is found in
//! stands for part of it, and a value displaced to another line says so), so two states are taken for one with
//! probability 2^-b, however full the table. The state that comes when `i` values are stored is omitted with probability
//! i/2^b; over `n` stored states that makes
//!
//! > expected omissions = n² / 2^(b+1)
//!
//! of the states that were generated. What could only be reached through an omitted state is missed as well ([`crate::ways`]).

use super::hash::Hasher;
use super::quotient::Quotient;
use super::{Guarantee, Insertion, Store};

/// Bits of a value, unless asked otherwise.
pub const DEFAULT_BITS: u32 = 64;
const ROOMY: f64 = 0.65;
const TIGHT: f64 = 0.8;

#[derive(Debug)]
pub struct Compact {
    hasher: Hasher,
    bits: u32,
    values: Quotient,
}

impl Compact {
    /// Precondition: `bits` is between 1 and 64.
    pub fn new(bits: u32, seed: u64) -> Compact {
        Compact { hasher: Hasher::new(seed), bits, values: Quotient::new(bits, 0, 0) }
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
        let Some(load) = [ROOMY, TIGHT].into_iter().find(fits) else { return false };
        self.values.rebuild(0, load, |extra| extra);
        true
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
            values: Quotient::new(self.bits, 0, states),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn threads_agree() {
        testing::threads_agree(Compact::new(64, 0), 3);
        testing::threads_contend(|| Compact::new(64, 0), 3);
    }

    /// With few bits states are omitted, about as many as is said.
    #[test]
    fn omits_as_many_as_expected() {
        let states = testing::product(3, 60_000);
        for bits in [24, 28, 32] {
            let mut omitted = 0.0;
            let mut expected = 0.0;
            for seed in 0..20 {
                let mut store = Compact::new(bits, seed);
                omitted += (states.len() as u64 - testing::insert_all(&mut store, &states)) as f64;
                let Guarantee::Omissions { expected: said } = store.guarantee() else { panic!("not exact") };
                expected += said;
            }
            assert!(
                omitted < 1.5 * expected + 3.0 && omitted > expected / 1.5 - 3.0,
                "{bits} bits: {omitted} omitted, {expected} expected"
            );
        }
    }
}
