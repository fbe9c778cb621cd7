//! Bit-state hashing (Holzmann: On limits and possibilities of automated protocol analysis, 1987; with several functions: An
//! analysis of bitstate hashing, 1998): a state is `k` bits of one large array. A state all of whose bits are set already is
//! taken for known.
//!
//! The `k` positions come from two hash values by double hashing (Kirsch, Mitzenmacher: Less hashing, same performance, 2006; with
//! the cubic term of Dillinger, Manolios: Bloom filters in probabilistic verification, 2004, as plain double hashing gives
//! too many states the same positions).
//!
//! A new state is omitted with probability ρᵏ, where ρ is the part of the bits that is set when it comes. If n states were
//! stored, and the j-th found the part ρⱼ set, new states came in between and were omitted at a rate of ρᵏ/(1-ρᵏ) for each
//! that was stored, so
//!
//! > expected omissions = Σⱼ ρⱼᵏ / (1 - ρⱼᵏ).
//!
//! The sum is kept while states come: bits set are counted exactly. What could only be reached through an omitted state is
//! missed as well ([`crate::ways`]).

use super::hash::Hasher;
use super::{Guarantee, Insertion, Store, prefetch};
use std::sync::atomic::{AtomicU64, Ordering};

/// Functions, unless asked otherwise.
pub const DEFAULT_FUNCTIONS: u32 = 3;
/// Most functions there can be.
pub const MAX_FUNCTIONS: u32 = 16;
/// Threads count on different cache lines.
const COUNTERS: usize = 16;
/// After so many states a counter brings the sum up to date.
const BATCH: u64 = 64;

/// What is counted, by a part of the threads' work.
#[repr(align(64))]
#[derive(Debug, Default)]
struct Counter {
    states: AtomicU64,
    bits: AtomicU64,
    /// Expected omissions, as a floating-point number's bits.
    omissions: AtomicU64,
}

#[derive(Debug)]
pub struct Bitstate {
    hasher: Hasher,
    functions: u32,
    words: Vec<AtomicU64>,
    counters: [Counter; COUNTERS],
}

/// The positions of a state's bits.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    first: u64,
    step: u64,
}

impl Bitstate {
    /// An array of `memory_bytes`. Precondition: `functions` is between 1 and [`MAX_FUNCTIONS`].
    /// `None` if there is no such memory.
    pub fn new(memory_bytes: u64, functions: u32, seed: u64) -> Option<Bitstate> {
        let words = array((memory_bytes / 8).max(8) as usize)?;
        Some(Bitstate { hasher: Hasher::new(seed), functions, words, counters: Default::default() })
    }

    fn bits(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    #[inline]
    fn position(&self, state: Positions, function: u64) -> (usize, u64) {
        let cubic = function * function * function / 6;
        let hash = state.first.wrapping_add(state.step.wrapping_mul(function)).wrapping_add(cubic);
        let bit = (u128::from(hash) * u128::from(self.bits())) >> 64;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    fn sum(&self, part: impl Fn(&Counter) -> u64) -> u64 {
        self.counters.iter().map(part).sum()
    }

    /// The part of the bits that is set.
    pub fn fill(&self) -> f64 {
        self.sum(|counter| counter.bits.load(Ordering::Relaxed)) as f64 / self.bits() as f64
    }

    /// Bits of the array for each state stored: Holzmann's hash factor. At 100 and more omissions are rare.
    pub fn hash_factor(&self) -> f64 {
        self.bits() as f64 / self.len().max(1) as f64
    }

    fn expected_omissions(&self) -> f64 {
        self.counters.iter().map(|counter| f64::from_bits(counter.omissions.load(Ordering::Relaxed))).sum()
    }

    /// Counts a new state that set `bits`.
    #[inline]
    fn count(&self, counter: usize, bits: u64) {
        let counter = &self.counters[counter];
        counter.bits.fetch_add(bits, Ordering::Relaxed);
        let states = counter.states.fetch_add(1, Ordering::Relaxed) + 1;
        if states.is_multiple_of(BATCH) {
            self.add_omissions(counter);
        }
    }

    #[cold]
    fn add_omissions(&self, counter: &Counter) {
        let taken = self.fill().powi(self.functions as i32);
        let added = BATCH as f64 * taken / (1.0 - taken).max(1e-9);
        let add = |sum: u64| Some((f64::from_bits(sum) + added).to_bits());
        // It never says no.
        let _ = counter.omissions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

/// Words without a bit set; `None` if there is no memory for so many.
fn array(length: usize) -> Option<Vec<AtomicU64>> {
    let mut words = Vec::new();
    words.try_reserve_exact(length).ok()?;
    words.resize_with(length, AtomicU64::default);
    Some(words)
}

impl Store for Bitstate {
    type Key = Positions;
    const OMITS: bool = true;
    const FIXED: bool = true;

    #[inline]
    fn key(&self, state: &[u64]) -> Positions {
        let (first, step) = self.hasher.pair(state);
        let positions = Positions { first, step };
        for function in 0..u64::from(self.functions) {
            prefetch::line(&self.words[self.position(positions, function).0]);
        }
        positions
    }

    /// Threads that insert the same state at once may both be told it is new, and then it is visited twice: never less.
    #[inline]
    fn insert(&self, _state: &[u64], key: Positions) -> Insertion {
        let mut set = 0;
        for function in 0..u64::from(self.functions) {
            let (word, bit) = self.position(key, function);
            let word = &self.words[word];
            if word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
                set += 1;
            }
        }
        if set == 0 {
            return Insertion::Known;
        }
        self.count(key.first as usize % COUNTERS, set);
        Insertion::New
    }

    /// The array is as large as it may be from the start.
    fn grow(&mut self, _: u64, _: usize) -> bool {
        false
    }

    fn len(&self) -> u64 {
        self.sum(|counter| counter.states.load(Ordering::Relaxed))
    }

    fn memory_bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Omissions { expected: self.expected_omissions() }
    }

    fn for_each(&self, _visit: &mut dyn FnMut(&[u64])) -> bool {
        false
    }

    fn emptied(&self, _identity_words: usize, _memory_bytes: u64) -> Option<Bitstate> {
        Some(Bitstate {
            hasher: self.hasher.clone(),
            functions: self.functions,
            words: array(self.words.len())?,
            counters: Default::default(),
        })
    }

    /// The same array is used again: there is no memory for two.
    fn clear(&mut self) -> bool {
        self.words.iter_mut().for_each(|word| *word.get_mut() = 0);
        self.counters = Default::default();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// The estimate holds from a nearly empty array to a nearly full one, for few functions and many.
    #[test]
    fn omits_as_many_as_expected() {
        let states = testing::product(3, 200_000);
        for bytes in [30_000, 100_000, 300_000, 1_000_000] {
            for functions in [1, 2, 3, 5, 8] {
                let (mut omitted, mut expected) = (0.0, 0.0);
                for seed in 0..3 {
                    let mut store = Bitstate::new(bytes, functions, seed).expect("memory");
                    omitted += (states.len() as u64 - testing::insert_all(&mut store, &states)) as f64;
                    let Guarantee::Omissions { expected: said } = store.guarantee() else {
                        panic!("not exact")
                    };
                    expected += said;
                }
                assert!(
                    omitted < 1.5 * expected + 20.0 && omitted > expected / 1.5 - 20.0,
                    "{bytes} bytes, {functions} functions: {omitted} omitted, {expected} expected"
                );
            }
        }
    }

    #[test]
    fn knows_what_it_was_given() {
        let states = testing::product(2, 10_000);
        let mut store = Bitstate::new(1 << 20, 3, 7).expect("memory");
        testing::insert_all(&mut store, &states);
        assert_eq!(testing::insert_all(&mut store, &states), 0);
    }
}
